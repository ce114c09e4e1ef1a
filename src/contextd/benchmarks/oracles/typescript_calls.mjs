// Every call in a tree with what TypeScript's own checker says it calls, as a line of JSON per file.
// Usage: node typescript_calls.mjs FOLDER ROOT < paths; FOLDER holds node_modules/typescript.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";

const [folder, root] = process.argv.slice(2).map((path) => resolve(path));
const ts = createRequire(join(folder, "index.js"))("typescript");
const paths = readFileSync(0, "utf8").split("\n").filter((path) => /\.[cm]?[jt]sx?$/.test(path));

const found = ts.findConfigFile(root, ts.sys.fileExists, "tsconfig.json");
const read = found ? ts.readConfigFile(found, ts.sys.readFile).config : {};
const parsed = ts.parseJsonConfigFileContent({ ...read, files: [], include: [] }, ts.sys, root);
const options = { ...parsed.options, allowJs: true, noEmit: true, skipLibCheck: true };
const program = ts.createProgram(paths.map((path) => join(root, path)), options);
const checker = program.getTypeChecker();

const lineOf = (file, node) => file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;

function lastName(node) {
  if (ts.isPropertyAccessExpression(node)) return node.name;
  if (ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node)) return lastName(node.expression);
  return ts.isIdentifier(node) ? node : undefined;
}

// [what is defined here and called, whether that is all there is to say]: what is called through a variable,
// a parameter or a property of the project the checker does not say.
function definitions(name) {
  let symbol = checker.getSymbolAtLocation(name);
  if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
  let all = true;
  const found = (symbol?.declarations ?? []).flatMap((one) => {
    const file = one.getSourceFile();
    const path = relative(root, file.fileName);
    if (path.startsWith("..") || path.includes("node_modules")) return [];
    if (!one.name) {
      all = false;
      return [];
    }
    const value = one.initializer;
    const called =
      ts.isFunctionLike(one) || ts.isClassLike(one) || ts.isInterfaceDeclaration(one) ||
      (value && (ts.isArrowFunction(value) || ts.isFunctionExpression(value)));
    if (!called) all = false;
    return called ? [[path, lineOf(file, one.name), one.name.getText(file)]] : [];
  });
  return [found, all];
}

for (const path of paths) {
  const file = program.getSourceFile(join(root, path));
  if (!file) continue;
  const calls = [];
  const visit = (node) => {
    const callee =
      ts.isCallExpression(node) || ts.isNewExpression(node) ? node.expression
      : ts.isJsxOpeningElement(node) || ts.isJsxSelfClosingElement(node) ? node.tagName
      : undefined;
    const name = callee && lastName(callee);
    if (name) {
      const type = checker.getTypeAtLocation(callee);
      const [found, all] = definitions(name);
      const known = all && !(type.flags & ts.TypeFlags.Any);
      calls.push([lineOf(file, name), name.text, found, known]);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  console.log(JSON.stringify({ path, calls }));
}
