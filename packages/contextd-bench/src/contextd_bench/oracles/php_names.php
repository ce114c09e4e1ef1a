<?php
// [[line, column in bytes, name], …] of the calls of a file and of what it defines, as JSON.
// Usage: php php_names.php PATH [--names]. With --names: every name, called or not, but those that are defined there.

$calls = $defined = [];
$every = in_array('--names', $argv);
$tokens = array_values(array_filter(
    token_get_all(file_get_contents($argv[1])),
    fn ($one) => !is_array($one) || !in_array($one[0], [T_WHITESPACE, T_COMMENT, T_DOC_COMMENT])
));
$lines = [];
$at = 0;
foreach (token_get_all(file_get_contents($argv[1])) as $one) {
    $text = is_array($one) ? $one[1] : $one;
    if (is_array($one) && !in_array($one[0], [T_WHITESPACE, T_COMMENT, T_DOC_COMMENT])) {
        $lines[] = $at;
    } elseif (!is_array($one)) {
        $lines[] = $at;
    }
    $at += strlen($text);
}
$source = file_get_contents($argv[1]);
$names = [T_STRING, T_NAME_QUALIFIED, T_NAME_FULLY_QUALIFIED, T_NAME_RELATIVE];
$kind = fn (int $n) => is_array($tokens[$n] ?? null) ? $tokens[$n][0] : ($tokens[$n] ?? null);
foreach ($tokens as $n => $token) {
    if (!is_array($token) || !in_array($token[0], $names)) {
        continue;
    }
    $before = $kind($n - 1);
    if ($before === T_AMPERSAND_NOT_FOLLOWED_BY_VAR_OR_VARARG) {
        $before = $kind($n - 2);
    }
    $name = substr($token[1], (int) strrpos('\\' . $token[1], '\\'));
    $start = $lines[$n] + strlen($token[1]) - strlen($name);
    $newline = strrpos(substr($source, 0, $start), "\n");
    $place = [substr_count($source, "\n", 0, $start) + 1, $start - ($newline === false ? 0 : $newline + 1), $name];
    $after = $kind($n + 1);
    $is_constant = $before === T_CONST || ($kind($n - 2) === T_CONST && $after === '=');
    $is_case = $before === T_CASE && ($after === ';' || $after === '=');
    if ($every && $token[0] === T_STRING && ($is_constant || $is_case)) {
        $defined[] = $place;
    } elseif ($token[0] === T_STRING && in_array($before, [T_FUNCTION, T_CLASS, T_INTERFACE, T_TRAIT, T_ENUM])) {
        $defined[] = $place;
    } elseif ($every) {
        // `f(name: 1)` names a parameter, `self` no class by its name.
        $is_name = !in_array(strtolower($name), ['self', 'parent', 'static']);
        if ($is_name && $before !== T_NAMESPACE && !($after === ':' && ($before === '(' || $before === ','))) {
            $calls[] = $place;
        }
    } elseif ($before === T_NEW || ($kind($n + 1) === '(' && $before !== T_ATTRIBUTE)) {
        // `f(...)` makes a closure and calls nothing.
        if (!($kind($n + 2) === T_ELLIPSIS && $kind($n + 3) === ')')) {
            $calls[] = $place;
        }
    }
}
echo json_encode(['calls' => $calls, 'defined' => $defined]);
