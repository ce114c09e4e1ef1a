// Every call in a tree with what Java's own compiler says it calls, as a line of JSON per file.
// Usage: java JavaCalls.java ROOT [--names] < paths. What libraries declare that are not there stays unjudged.
// With --names: every name, called or not, with its definitions.
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.ParameterizedTypeTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.TypeKind;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

public final class JavaCalls {
  private final Path root;
  private final Trees trees;
  private final SourcePositions positions;

  private JavaCalls(Path root, Trees trees) {
    this.root = root;
    this.trees = trees;
    this.positions = trees.getSourcePositions();
  }

  public static void main(String[] arguments) throws Exception {
    Path root = Path.of(arguments[0]).toRealPath();
    List<Path> paths = new ArrayList<>();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = in.readLine()) != null; ) {
      Path path = root.resolve(line);
      boolean described = line.endsWith("module-info.java") || line.endsWith("package-info.java");
      if (line.endsWith(".java") && !described && Files.exists(path)) {
        paths.add(path);
      }
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StandardJavaFileManager files =
        compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
    List<String> options =
        List.of("-proc:none", "-XDshould-stop.ifError=FLOW", "-Xmaxerrs", "1000000", "-nowarn");
    JavacTask task =
        (JavacTask)
            compiler.getTask(
                null, files, one -> {}, options, null, files.getJavaFileObjectsFromPaths(paths));
    Iterable<? extends CompilationUnitTree> units = task.parse();
    try {
      task.analyze();
    } catch (RuntimeException | AssertionError broken) {
      System.err.println("the compiler stopped early: " + broken);
    }
    JavaCalls asked = new JavaCalls(root, Trees.instance(task));
    for (CompilationUnitTree unit : units) {
      List<String> calls = new ArrayList<>();
      TreePathScanner<Void, Void> visitor =
          arguments.length > 1 && arguments[1].equals("--names")
              ? asked.new NameVisitor(calls)
              : asked.new Visitor(calls);
      visitor.scan(unit, null);
      System.out.println(
          "{\"path\": " + quoted(asked.pathOf(unit)) + ", \"calls\": [" + String.join(", ", calls) + "]}");
    }
  }

  private String pathOf(CompilationUnitTree unit) {
    return root.relativize(Path.of(unit.getSourceFile().toUri())).toString();
  }

  private static String quoted(String text) {
    return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }

  private final class Visitor extends TreePathScanner<Void, Void> {
    private final List<String> calls;

    private Visitor(List<String> calls) {
      this.calls = calls;
    }

    @Override
    public Void visitMethodInvocation(MethodInvocationTree node, Void nothing) {
      ExpressionTree select = node.getMethodSelect();
      if (select instanceof MemberSelectTree member) {
        long end = positions.getEndPosition(getCurrentPath().getCompilationUnit(), select);
        String name = member.getIdentifier().toString();
        tell(end - name.length(), name);
      } else if (select instanceof IdentifierTree named) {
        String name = named.getName().toString();
        tell(positions.getStartPosition(getCurrentPath().getCompilationUnit(), select), name);
      }
      return super.visitMethodInvocation(node, nothing);
    }

    @Override
    public Void visitNewClass(NewClassTree node, Void nothing) {
      ExpressionTree type = node.getIdentifier();
      if (type instanceof ParameterizedTypeTree generic) {
        type = (ExpressionTree) generic.getType();
      }
      CompilationUnitTree unit = getCurrentPath().getCompilationUnit();
      String written = type.toString();
      String name = written.substring(written.lastIndexOf('.') + 1);
      // Of `new T() { … }` the compiler says the class that is written here: what is named is T.
      TypeElement around = null;
      if (node.getClassBody() != null) {
        Element named = trees.getElement(new TreePath(getCurrentPath(), node.getIdentifier()));
        around = named instanceof TypeElement found ? found : null;
        if (around == null) {
          return super.visitNewClass(node, nothing);
        }
      }
      tell(positions.getEndPosition(unit, type) - name.length(), name, around);
      return super.visitNewClass(node, nothing);
    }

    /** The compiler puts calls of constructors where nobody wrote one. */
    private boolean isWritten(CompilationUnitTree unit, int start, String name) {
      try {
        String text = unit.getSourceFile().getCharContent(true).toString();
        return text.startsWith(name, start);
      } catch (IOException unreadable) {
        return false;
      }
    }

    private void tell(long start, String name) {
      tell(start, name, null);
    }

    private void tell(long start, String name, Element given) {
      CompilationUnitTree unit = getCurrentPath().getCompilationUnit();
      if (start < 0 || !isWritten(unit, (int) start, name)) {
        return;
      }
      Element called = given != null ? given : trees.getElement(getCurrentPath());
      if (called == null || called.asType().getKind() == TypeKind.ERROR) {
        return;
      }
      boolean isUnknown = called.getKind() != ElementKind.CONSTRUCTOR
          && called.getKind() != ElementKind.METHOD
          && !(called instanceof TypeElement);
      if (isUnknown) {
        return;
      }
      Element one = called.getKind() == ElementKind.CONSTRUCTOR ? called.getEnclosingElement() : called;
      TreePath at = trees.getPath(one);
      // What an enum or a record has without writing it down is no definition of the project.
      if (at == null && called.getKind() == ElementKind.METHOD && trees.getPath(one.getEnclosingElement()) != null) {
        return;
      }
      String found = at == null ? "" : declaration(one, at);
      calls.add(
          "[" + unit.getLineMap().getLineNumber(start) + ", " + quoted(name) + ", [" + found + "], true]");
    }
  }

  private String declaration(Element one, TreePath at) {
    CompilationUnitTree unit = at.getCompilationUnit();
    Tree tree = at.getLeaf();
    // A definition begins with its annotations: its last line before the body holds for sure.
    long start = positions.getStartPosition(unit, tree);
    String name = one.getSimpleName().toString();
    return "[" + quoted(pathOf(unit)) + ", " + unit.getLineMap().getLineNumber(start) + ", " + quoted(name) + "]";
  }

  private static final Set<ElementKind> LOCAL =
      Set.of(
          ElementKind.PARAMETER,
          ElementKind.LOCAL_VARIABLE,
          ElementKind.EXCEPTION_PARAMETER,
          ElementKind.RESOURCE_VARIABLE,
          ElementKind.TYPE_PARAMETER);

  /** Every name that refers to something. */
  private final class NameVisitor extends TreePathScanner<Void, Void> {
    private final List<String> names;

    private NameVisitor(List<String> names) {
      this.names = names;
    }

    @Override
    public Void visitIdentifier(IdentifierTree node, Void nothing) {
      CompilationUnitTree unit = getCurrentPath().getCompilationUnit();
      tell(positions.getStartPosition(unit, node), node.getName().toString());
      return super.visitIdentifier(node, nothing);
    }

    @Override
    public Void visitMemberSelect(MemberSelectTree node, Void nothing) {
      CompilationUnitTree unit = getCurrentPath().getCompilationUnit();
      String name = node.getIdentifier().toString();
      tell(positions.getEndPosition(unit, node) - name.length(), name);
      return super.visitMemberSelect(node, nothing);
    }

    @Override
    public Void visitMemberReference(MemberReferenceTree node, Void nothing) {
      CompilationUnitTree unit = getCurrentPath().getCompilationUnit();
      String name = node.getName().toString();
      tell(positions.getEndPosition(unit, node) - name.length(), name);
      return super.visitMemberReference(node, nothing);
    }

    private void tell(long start, String name) {
      CompilationUnitTree unit = getCurrentPath().getCompilationUnit();
      String text;
      try {
        text = unit.getSourceFile().getCharContent(true).toString();
      } catch (IOException unreadable) {
        return;
      }
      // The compiler adds names that nobody wrote, such as the `super` of a constructor.
      if (start < 0 || !text.startsWith(name, (int) start)) {
        return;
      }
      Element one = trees.getElement(getCurrentPath());
      boolean known = one != null && one.asType().getKind() != TypeKind.ERROR;
      if (known && one.getKind() == ElementKind.CONSTRUCTOR) {
        one = one.getEnclosingElement();
      }
      boolean outside = !known || one.getEnclosingElement() == null
          || !(one instanceof TypeElement) && LOCAL.contains(one.getKind());
      TreePath at = outside ? null : trees.getPath(one);
      String found = at == null ? "" : declaration(one, at);
      names.add(
          "[" + unit.getLineMap().getLineNumber(start) + ", " + quoted(name) + ", [" + found + "], " + known + "]");
    }
  }
}
