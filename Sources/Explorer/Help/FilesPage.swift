/// Where files are: `apus help files`, and a page of the documentation.
package enum FilesPage {
    /// The page, in Markdown.
    package static let page = #"""
        # Files

        Where apus reads and keeps its files.

        ## Overview

        | What | Where |
        |---|---|
        | themes of your own | `$XDG_CONFIG_HOME/apus/themes/*.yaml` (`~/.config/apus`) |
        | keys of your own | `$XDG_CONFIG_HOME/apus/keys.yaml`; `apus keys` prints all names |
        | a cache that is shared with a team, for all workspaces that name none | `$XDG_CONFIG_HOME/apus/cache.yaml`; `apus help sharing` says what is in it |
        | the theme chosen last | `$XDG_STATE_HOME/apus/theme` (`~/.local/state/apus`) |
        | workspaces whose commands may run | `$XDG_STATE_HOME/apus/trust` |
        | tokens of OAuth 2, a file for each sign-in | `$XDG_STATE_HOME/apus/sign-ins` (`~/.local/state/apus`); `apus sign-out --all` removes them |
        | cached responses | `$XDG_CACHE_HOME/apus` (`~/.cache/apus`) |
        | the history: 10,000 exchanges, 2 GiB and 90 days at most, and named sessions | `$XDG_DATA_HOME/apus` (`~/.local/share/apus`) |

        Files are 0600 and folders 0700.

        A file of keys has actions and keys, `quit: ctrl+q`; `apus keys` prints all names with their keys, in that form. A theme's file has
        colors; one beside another of the same name goes before it.

        `history.sqlite-key` beside the history keeps masked values from being guessed: do not hand it on. The state of the
        explorer (environment, selection, folds, sizes, theme) is in a file for each workspace; `--no-state` begins afresh and
        keeps nothing, `--no-history` records nothing.
        """#
}
