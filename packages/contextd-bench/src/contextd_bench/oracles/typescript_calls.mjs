// Every call in a tree with what TypeScript's own checker says it calls, as a line of JSON per file.
// Usage: node typescript_calls.mjs FOLDER ROOT [--names] < paths; FOLDER holds node_modules/typescript.
// With --names: every name, called or not, with its definitions.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";

const [folder, root] = process.argv.slice(2).map((path) => resolve(path));
const everyName = process.argv.includes("--names");
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

const IMPORTED = new Set([
  ts.SyntaxKind.ImportSpecifier, ts.SyntaxKind.ImportClause, ts.SyntaxKind.NamespaceImport,
  ts.SyntaxKind.ExportSpecifier, ts.SyntaxKind.ExportAssignment,
]);

// Whether a parameter or a variable of a function is declared.
function isLocal(one) {
  if (!ts.isParameter(one) && !ts.isVariableDeclaration(one) && !ts.isBindingElement(one)) return false;
  if (one.initializer && ts.isFunctionLike(one.initializer)) return false;
  let around = one.parent;
  while (around && !ts.isSourceFile(around) && !ts.isModuleBlock(around)) {
    if (ts.isFunctionLike(around) || ts.isClassStaticBlockDeclaration(around)) return true;
    around = around.parent;
  }
  return false;
}

// The declarations a file means: one program holds scripts that no page loads together, such as a service
// worker in each example, and merges their globals. A script that declares a name itself means its own.
function ownFirst(declarations, file) {
  const scripts = declarations.every((one) => {
    const value = ts.isFunctionDeclaration(one) || ts.isVariableDeclaration(one) || ts.isClassDeclaration(one);
    return value && !one.getSourceFile().isDeclarationFile && !ts.isExternalModule(one.getSourceFile());
  });
  const own = scripts ? declarations.filter((one) => one.getSourceFile() === file) : [];
  return own.length ? own : declarations;
}

// The definitions a name refers to, and whether the checker knows them; undefined where it declares something.
function referred(node) {
  const parent = node.parent;
  if (parent.name === node && !IMPORTED.has(parent.kind) && ts.isDeclarationStatement(parent)) return undefined;
  let symbol = ts.isShorthandPropertyAssignment(parent)
    ? checker.getShorthandAssignmentValueSymbol(parent)
    : checker.getSymbolAtLocation(node);
  if (!symbol) return [[], false];
  if (symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
  const declarations = ownFirst(symbol.declarations ?? [], node.getSourceFile());
  if (parent.name === node && !IMPORTED.has(parent.kind) && declarations.includes(parent)) return undefined;
  const found = declarations.flatMap((one) => {
    const file = one.getSourceFile();
    const path = relative(root, file.fileName);
    if (path.startsWith("..") || path.includes("node_modules") || isLocal(one)) return [];
    // A default export without a name is called `default`.
    const name = one.name ?? one;
    return [[path, lineOf(file, name), one.name ? one.name.getText(file) : "default"]];
  });
  return [found, symbol.escapedName !== "unknown" && declarations.length > 0];
}

function names(file) {
  const found = [];
  const visit = (node) => {
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) {
      const answer = referred(node);
      if (answer) found.push([lineOf(file, node), node.text, ...answer]);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

for (const path of everyName ? paths : []) {
  const file = program.getSourceFile(join(root, path));
  if (file) console.log(JSON.stringify({ path, calls: names(file) }));
}

for (const path of everyName ? [] : paths) {
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
