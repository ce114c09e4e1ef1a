// What TypeScript itself says of a repository: where its imports lead and what it defines.
//
// node typescript_edges.mjs TYPESCRIPT_FOLDER ROOT < paths.txt
//
// TYPESCRIPT_FOLDER holds node_modules/typescript. The paths, one a line and relative to ROOT, are
// those of the walk. Prints one JSON object per file: {path, imports: [[specifier, target]],
// definitions: [name]}; a target is a path relative to ROOT, or "" where nothing was found.
// Nothing is written: the packages of a workspace are seen in node_modules through the file host.
import { createRequire } from "node:module";
import fs from "node:fs";
import path from "node:path";

const [folder, given] = process.argv.slice(2);
const ts = createRequire(path.resolve(folder, "package.json"))("typescript");
const root = fs.realpathSync(given);
const paths = fs.readFileSync(0, "utf8").split("\n").filter(Boolean);
const CODE = /\.(?:[cm]?[jt]s|[jt]sx)$/;

const readJson = (file) => {
  const { config } = ts.parseConfigFileTextToJson(file, ts.sys.readFile(file) ?? "{}");
  return config ?? {};
};

function workspaces() {
  const manifests = new Map();
  for (const one of paths) {
    if (path.basename(one) === "package.json") manifests.set(path.dirname(one), readJson(path.join(root, one)));
  }
  const wanted = [];
  const unwanted = [];
  const listed = (base, globs) => {
    for (const glob of globs) {
      const pattern = path.posix.join(base, glob.replace(/^!/, "").replace(/\/$/, ""));
      const source = pattern
        .split(/(\*\*\/|\*\*|\*)/)
        .map((p) => ({ "**/": "(?:.*/)?", "**": ".*", "*": "[^/]*" })[p] ?? p.replace(/[.+^${}()|[\]\\?]/g, "\\$&"))
        .join("");
      (glob.startsWith("!") ? unwanted : wanted).push(new RegExp(`^${source}$`));
    }
  };
  for (const [base, manifest] of manifests) {
    const globs = manifest.workspaces?.packages ?? manifest.workspaces;
    if (Array.isArray(globs)) listed(base, globs);
  }
  for (const one of paths.filter((p) => path.basename(p) === "pnpm-workspace.yaml")) {
    const text = ts.sys.readFile(path.join(root, one)) ?? "";
    const block = /^packages:\s*\n((?:\s*(?:-.*|#.*)?\n?)*)/m.exec(text)?.[1] ?? "";
    listed(path.dirname(one), [...block.matchAll(/^\s*-\s*["']?([^"'#\n]+?)["']?\s*(?:#.*)?$/gm)].map((m) => m[1]));
  }
  const named = new Map();
  for (const [base, manifest] of manifests) {
    if (manifest.name && wanted.some((w) => w.test(base)) && !unwanted.some((w) => w.test(base))) {
      named.set(manifest.name, path.join(root, base));
    }
  }
  return named;
}

const packages = workspaces();
const LINKS = path.join(root, "node_modules") + "/";

/** The real place of a path below the node_modules of the root that stands for a workspace. */
function real(file) {
  if (!file.startsWith(LINKS)) return file;
  const parts = file.slice(LINKS.length).split("/");
  const length = parts[0].startsWith("@") ? 2 : 1;
  const home = packages.get(parts.slice(0, length).join("/"));
  return home ? path.join(home, ...parts.slice(length)) : file;
}

const host = {
  fileExists: (file) => ts.sys.fileExists(real(file)),
  readFile: (file) => ts.sys.readFile(real(file)),
  directoryExists: (file) => file + "/" === LINKS || LINKS.startsWith(file + "/") || ts.sys.directoryExists(real(file)) || scope(file),
  getDirectories: (file) => ts.sys.getDirectories(real(file)),
  realpath: (file) => (file === real(file) ? (ts.sys.realpath?.(file) ?? file) : real(file)),
  useCaseSensitiveFileNames: true,
  getCurrentDirectory: () => root,
};

/** Whether a folder is the scope of a linked package, such as node_modules/@shop. */
function scope(file) {
  return [...packages.keys()].some((name) => file + "/" === LINKS + name.split("/")[0] + "/");
}

const parseHost = { ...host, readDirectory: ts.sys.readDirectory, useCaseSensitiveFileNames: true };
const lightHost = { ...parseHost, readDirectory: () => [] };
const configs = new Map();

function parsed(file, full) {
  const key = `${full} ${file}`;
  if (!configs.has(key)) {
    const raw = ts.readConfigFile(file, host.readFile).config ?? {};
    const found = ts.parseJsonConfigFileContent(raw, full ? parseHost : lightHost, path.dirname(file), undefined, file);
    configs.set(key, { options: found.options, files: new Set(found.fileNames), references: found.projectReferences ?? [] });
  }
  return configs.get(key);
}

const nearest = new Map();

function configOf(directory) {
  if (!nearest.has(directory)) {
    let found = ["tsconfig.json", "jsconfig.json"].map((n) => path.join(directory, n)).find(ts.sys.fileExists);
    if (!found && directory !== root) found = configOf(path.dirname(directory));
    nearest.set(directory, found ?? "");
  }
  return nearest.get(directory);
}

/** The options of a file; in a solution, those of the project that holds it. */
function optionsOf(file) {
  const config = configOf(path.dirname(file));
  let options = {};
  if (config) {
    const own = parsed(config, false);
    options = own.options;
    for (const reference of own.options.paths ? [] : own.references) {
      const target = ts.resolveProjectReferencePath(reference);
      if (ts.sys.fileExists(target) && parsed(target, true).files.has(file)) {
        options = parsed(target, false).options;
        break;
      }
    }
  }
  const known = options.moduleResolution !== undefined;
  const kind = known ? {} : BUNDLER;
  return { ...options, ...kind, allowJs: true };
}

const caches = new Map();

const BUNDLER = { moduleResolution: ts.ModuleResolutionKind.Bundler, module: ts.ModuleKind.ESNext };

/** Where an import leads; one that Node would refuse, such as a missing extension, as bundlers and test runners see it. */
function resolve(file, options, specifier, mode) {
  const found = resolveAs(file, options, specifier, mode);
  const strict = options.moduleResolution >= ts.ModuleResolutionKind.Node16 && options.moduleResolution < ts.ModuleResolutionKind.Bundler;
  return found || !strict ? found : resolveAs(file, { ...options, ...BUNDLER, customConditions: undefined }, specifier, ts.ModuleKind.ESNext);
}

function resolveAs(file, options, specifier, mode) {
  const key = JSON.stringify(options);
  if (!caches.has(key)) caches.set(key, ts.createModuleResolutionCache(root, (x) => x, options));
  const found = ts.resolveModuleName(specifier, file, options, host, caches.get(key), undefined, mode);
  const target = found.resolvedModule?.resolvedFileName;
  if (!target) return "";
  // `x.d.json.ts` only describes `x.json`, and that is what the import leads to.
  if (/\.d\.(?!ts$)[^./]+\.ts$/.test(target)) return path.relative(root, real(target)).replace(/\.d(\.[^./]+)\.ts$/, "$1");
  const inside = path.relative(root, real(target));
  return inside.startsWith("..") ? "" : inside;
}

function specifiersOf(text, source) {
  const found = new Set();
  const pre = ts.preProcessFile(text, true, true);
  for (const one of pre.importedFiles) found.add(one.fileName);
  for (const name of pre.ambientExternalModules ?? []) found.add(name);
  // Left out by preProcessFile: `export * as x from`, and `declare module "x"` in a module.
  for (const statement of source.statements) {
    const from = statement.moduleSpecifier;
    if (from && ts.isStringLiteralLike(from)) found.add(from.text);
    if (ts.isModuleDeclaration(statement) && ts.isStringLiteral(statement.name)) found.add(statement.name.text);
  }
  const visit = (node) => {
    const named = ts.isCallExpression(node) && namesModule(node.expression) ? node.arguments[0] : undefined;
    if (named && ts.isStringLiteralLike(named)) found.add(named.text);
    // `vi.mock(import("./x"))` is found as the import it holds.
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const RUNNERS = new Set(["jest", "vi"]);
const MOCKS = /^(?:(?:do|un|dont)?[mM]ock|(?:require|import)(?:Actual|Mock)|setMock)$/;

/** Whether a call names a module without being an import: `require.resolve`, `vi.mock`, `jest.mock`. */
function namesModule(callee) {
  if (ts.isIdentifier(callee)) return callee.text === "require";
  if (!ts.isPropertyAccessExpression(callee) || !ts.isIdentifier(callee.expression)) return false;
  const [of, verb] = [callee.expression.text, callee.name.text];
  return of === "require" ? verb === "resolve" : RUNNERS.has(of) && MOCKS.test(verb);
}

const isFunction = (node) => node && (ts.isArrowFunction(node) || ts.isFunctionExpression(node));

function definitionsOf(source) {
  const found = [];
  const bound = (name) => {
    if (ts.isIdentifier(name)) found.push(name.text);
    else for (const element of name.elements) if (element.name) bound(element.name);
  };
  const visit = (node) => {
    const named = node.name && !ts.isComputedPropertyName(node.name) ? node.name.text : undefined;
    const declares =
      ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node) ||
      ts.isTypeAliasDeclaration(node) || ts.isEnumDeclaration(node) ||
      ((ts.isMethodDeclaration(node) || ts.isAccessor(node)) && ts.isClassLike(node.parent)) ||
      (ts.isPropertyDeclaration(node) && isFunction(node.initializer));
    if (declares && named) found.push(named);
    if (ts.isConstructorDeclaration(node)) found.push("constructor");
    if (ts.isVariableDeclaration(node)) {
      const top = node.parent.parent.parent === source;
      if (top && ts.isVariableStatement(node.parent.parent)) bound(node.name);
      else if (isFunction(node.initializer) && ts.isIdentifier(node.name)) found.push(node.name.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const KINDS = { ".tsx": ts.ScriptKind.TSX, ".jsx": ts.ScriptKind.JSX, ".js": ts.ScriptKind.JSX, ".mjs": ts.ScriptKind.JSX, ".cjs": ts.ScriptKind.JSX };

for (const one of paths.filter((p) => CODE.test(p))) {
  const file = path.join(root, one);
  const text = ts.sys.readFile(file);
  if (text === undefined) continue;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, KINDS[path.extname(one)]);
  const options = optionsOf(file);
  const mode = /\.[cm]js$|\.[cm]ts$/.test(one) ? ts.getImpliedNodeFormatForFile(file, undefined, host, options) : undefined;
  const imports = [...specifiersOf(text, source)].map((s) => [s, resolve(file, options, s, mode ?? ts.ModuleKind.ESNext)]);
  process.stdout.write(JSON.stringify({ path: one, imports, definitions: definitionsOf(source) }) + "\n");
}
