/// What one does with which key: `apus help keys`, and a page of the documentation.
enum KeysPage {
    static let page = #"""
        # Keys

        What the keys of the explorer do; `?` on the screen shows those of the pane in hand, and `/` searches them.

        ## Overview

        | Key | Does |
        |---|---|
        | arrows, `h j k l` | move; left folds, right unfolds |
        | `enter` | send the target, fold a group or a value; show a text or a number whole, or decoded (a JWT, a time, base64, a URL) |
        | `tab`, `1` `2` `3` `4` | next pane (the request is one); targets, cache, server, session |
        | `s`, `D` | where responses come from (server, cache, cache and server, …): the next, or choose from a list |
        | `e` | the next environment |
        | `o` | edit the target in `$VISUAL` or `$EDITOR`; a workspace that changes on disk is read again at once |
        | `5`, `B` `H` `Q` | edit the request: at its last tab, its body, headers or query; `left` `right`: the other tabs |
        | `enter` `c` `n` `x` there | edit the value, replace it, add a row, remove it; `alt+enter` keeps the edit and sends; `ctrl+r` undoes; `S` saves, `A` as a new target, in the group that you choose |
        | `p`, `n`, `I` | turn a curl command, a URL or raw HTTP into a request (so does pasting); a new request; with or without the workspace's defaults |
        | `x`, `X` | cancel this, cancel everything |
        | `/` | filter the targets; in a response, search keys and values (`tab`: which, `ctrl+r`: regular expression) |
        | `$`, `n` `N`, `m` | query with a JSONPath or `a.b[0]`; next and previous match; only the matches |
        | `d`, `E` | the differences between cache and server, row by row; why the cache answered or not |
        | `i`, then a letter | the response's tabs: headers first; `c` cookies, `t` timing, `s` certificates, `r` the request as sent, `w` the wire, `b` the body |
        | `K` | the cookies of the environment: `enter` edits, `x` deletes, `v` shows the values; kept until apus ends |
        | `\|` | pipe the response through a shell command, such as `jq .items`, and show its output as a tree; `tab`: only the value under the cursor |
        | `W` | save the body to a file; asks before it replaces one |
        | `:`, `T` | find an action, a target, a session, an environment, a source, a setting or a theme by some letters; preview and choose a theme (`auto` follows the terminal's background) |
        | `'` | a label on everything: type it to go there |
        | `{` `}`, `(` `)`, `0` | this pane narrower, wider, shorter, taller; reset the sizes; the mouse drags borders and scrollbars |
        | `f` | send the failed requests of a batch again |
        | `r`, `z`, `t` | send again; one pane alone; tree or picture, text or bytes |
        | `P`, `L` in a text | pretty or as sent; long lines wrapped, or scrolled with `left` `right` |
        | `4`, then `enter`, `space` `=` | everything sent so far; the old response beside the latest; mark, compare the two marked |
        | `r`, `N`, `/` in the session | send it again as it was; write a note; filter: `status:5xx method:post after:yesterday "a word"` |
        | `[` `]`, `v` | the responses before and after; this value over time |
        | `w`, `R`, `C` | send it repeatedly until `status:200` or `$.state == "done"`; record a session by name; copy as curl |
        | `a` | an array of objects as a table, and back: `s` sorts by the column, `-` hides it, `<` `>` move it, `enter` shows the value in the tree |
        | `y` | copy: `v` the value, `t` its text, `p` its path, `k` its key, `a` all matches |
        | `!`, `c` | go to the syntax error in a text; read on after it |
        | `?`, `q` | all keys (`/` searches them); quit |

        Every key can be another: `apus keys` prints all actions with their keys in the form of the file
        `$XDG_CONFIG_HOME/apus/keys.yaml`, where those of your own stand.
        """#
}
