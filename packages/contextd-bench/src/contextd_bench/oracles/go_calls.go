// Every call in a tree with what Go's own type checker says it calls, as a line of JSON per file.
// Usage: go run go_calls.go ROOT [--names] < paths. What modules declare that are not there stays unjudged.
// With --names: every name, called or not, with its definitions.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"strings"
)

type entry struct {
	Path  string `json:"path"`
	Calls []any  `json:"calls"`
}

type checker struct {
	root    string
	files   *token.FileSet
	folders map[string][]string // by folder, the files of it
	modules map[string]string   // by folder of a go.mod, what it calls itself
	library types.ImporterFrom
	known   map[string]*types.Package
	names   bool
}

func main() {
	root, err := filepath.Abs(os.Args[1])
	if err != nil {
		panic(err)
	}
	files := token.NewFileSet()
	asked := &checker{
		root: root, files: files, folders: map[string][]string{}, modules: map[string]string{},
		library: importer.ForCompiler(files, "source", nil).(types.ImporterFrom),
		known:   map[string]*types.Package{},
		names:   len(os.Args) > 2 && os.Args[2] == "--names",
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		if name := in.Text(); strings.HasSuffix(name, ".go") {
			asked.folders[path.Dir(name)] = append(asked.folders[path.Dir(name)], name)
		}
	}
	filepath.Walk(root, func(name string, info os.FileInfo, err error) error {
		if err == nil && info.Name() == "go.mod" {
			asked.module(name)
		}
		return nil
	})
	for folder := range asked.folders {
		asked.judge(folder)
	}
}

func (c *checker) module(name string) {
	text, _ := os.ReadFile(name)
	for _, line := range strings.Split(string(text), "\n") {
		if words := strings.Fields(line); len(words) == 2 && words[0] == "module" {
			folder, _ := filepath.Rel(c.root, filepath.Dir(name))
			c.modules[filepath.ToSlash(folder)] = strings.Trim(words[1], `"`)
		}
	}
}

// folderOf is the folder of the tree that an import means.
func (c *checker) folderOf(imported string) (string, bool) {
	best, length := "", -1
	for folder, module := range c.modules {
		if (imported == module || strings.HasPrefix(imported, module+"/")) && len(module) > length {
			best, length = path.Join(folder, strings.TrimPrefix(imported, module)), len(module)
		}
	}
	_, here := c.folders[best]
	return best, here && length >= 0
}

// parsed gives the files of a package in a folder, those for tests too if they are wanted.
func (c *checker) parsed(folder string, tests bool) map[string][]*ast.File {
	found := map[string][]*ast.File{}
	for _, name := range c.folders[folder] {
		isTest := strings.HasSuffix(name, "_test.go")
		fits, _ := build.Default.MatchFile(filepath.Join(c.root, folder), path.Base(name))
		if !fits || (isTest && !tests) {
			continue
		}
		file, err := parser.ParseFile(c.files, filepath.Join(c.root, name), nil, parser.SkipObjectResolution)
		if file != nil && (err == nil || file.Name != nil) {
			found[file.Name.Name] = append(found[file.Name.Name], file)
		}
	}
	return found
}

func (c *checker) Import(name string) (*types.Package, error) {
	return c.ImportFrom(name, c.root, 0)
}

func (c *checker) ImportFrom(name, from string, mode types.ImportMode) (*types.Package, error) {
	if known, ok := c.known[name]; ok {
		if known == nil {
			return nil, fmt.Errorf("%s is not there", name)
		}
		return known, nil
	}
	c.known[name] = nil
	if folder, here := c.folderOf(name); here {
		for title, files := range c.parsed(folder, false) {
			if title != "main" || len(c.parsed(folder, false)) == 1 {
				c.known[name], _ = c.config().Check(name, c.files, files, nil)
			}
		}
	} else if first := strings.Split(name, "/")[0]; !strings.Contains(first, ".") {
		c.known[name], _ = c.library.ImportFrom(name, from, mode)
	}
	return c.ImportFrom(name, from, mode)
}

func (c *checker) config() *types.Config {
	return &types.Config{Importer: c, FakeImportC: true, Error: func(error) {}}
}

func (c *checker) judge(folder string) {
	for title, files := range c.parsed(folder, true) {
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
		c.config().Check(folder+" "+title, c.files, files, info)
		for _, file := range files {
			name, _ := filepath.Rel(c.root, c.files.Position(file.Pos()).Filename)
			asked := c.calls
			if c.names {
				asked = c.everyName
			}
			line, _ := json.Marshal(entry{filepath.ToSlash(name), asked(file, info)})
			fmt.Println(string(line))
		}
	}
}

func (c *checker) calls(file *ast.File, info *types.Info) []any {
	found := []any{}
	ast.Inspect(file, func(node ast.Node) bool {
		if call, ok := node.(*ast.CallExpr); ok {
			if name := lastName(call.Fun); name != nil {
				definitions, known := c.definitions(info.Uses[name])
				line := c.files.Position(name.Pos()).Line
				found = append(found, []any{line, name.Name, definitions, known})
			}
		}
		return true
	})
	return found
}

func (c *checker) everyName(file *ast.File, info *types.Info) []any {
	found := []any{}
	ast.Inspect(file, func(node ast.Node) bool {
		name, ok := node.(*ast.Ident)
		// An embedded field is defined by the name of its type.
		_, defines := info.Defs[name]
		if !ok || (defines && info.Uses[name] == nil) || name == file.Name {
			return true
		}
		definitions, known := c.referred(info.Uses[name])
		line := c.files.Position(name.Pos()).Line
		found = append(found, []any{line, name.Name, definitions, known})
		return true
	})
	return found
}

// referred says which definition a name refers to, and whether the checker knows.
func (c *checker) referred(one types.Object) ([]any, bool) {
	switch called := one.(type) {
	case nil:
		return []any{}, false
	case *types.Func:
		one = called.Origin()
	case *types.Var:
		// Fields are not definitions of ours, nor are variables inside functions.
		if called.IsField() || (called.Pkg() != nil && called.Parent() != called.Pkg().Scope()) {
			return []any{}, true
		}
		one = called.Origin()
	case *types.PkgName, *types.Builtin, *types.Nil, *types.Label:
		return []any{}, true
	}
	at := c.files.Position(one.Pos())
	name, err := filepath.Rel(c.root, at.Filename)
	if !at.IsValid() || err != nil || strings.HasPrefix(name, "..") {
		return []any{}, true
	}
	return []any{[]any{filepath.ToSlash(name), at.Line, one.Name()}}, true
}

func lastName(node ast.Expr) *ast.Ident {
	switch one := node.(type) {
	case *ast.Ident:
		return one
	case *ast.SelectorExpr:
		return one.Sel
	case *ast.ParenExpr:
		return lastName(one.X)
	case *ast.IndexExpr:
		return lastName(one.X)
	case *ast.IndexListExpr:
		return lastName(one.X)
	}
	return nil
}

// definitions says what is called, and whether the checker knows: not of what a variable holds.
func (c *checker) definitions(one types.Object) ([]any, bool) {
	switch called := one.(type) {
	case *types.Func:
		one = called.Origin()
	case *types.TypeName, *types.Builtin:
	default:
		return []any{}, false
	}
	at := c.files.Position(one.Pos())
	name, err := filepath.Rel(c.root, at.Filename)
	if !at.IsValid() || err != nil || strings.HasPrefix(name, "..") {
		return []any{}, true
	}
	return []any{[]any{filepath.ToSlash(name), at.Line, one.Name()}}, true
}
