/// Checks on every push: `apus help ci`, and a page of the documentation.
package enum RunsPage {
    /// The page, in Markdown.
    package static let page = #"""
        # Checks in CI

        Send a workspace on every push, and fail when a response is not what it must be.

        ## What must be

        A target says what its response must be with `expect`; without it, its status must be below 400. In the explorer `A` on a value
        makes an expectation of it and writes it to the file. `apus help workspace expectations` has all of them.

            targets:
              Ada:
                request: GET /users/7
                expect: { status: 200, time: < 2 s, json: { $.name: Ada } }
                tags: [smoke]

        ## Running

        | Command | What it does |
        |---|---|
        | `apus run` | sends all targets and chains of the workspace here, and prints a line for each |
        | `apus run Users tag:smoke -e test` | a group and what has a tag, in the environment `test` |
        | `apus run --rows users.csv` | everything once for each row, whose columns are variables; `rows: users.csv` in a target does it for that one |
        | `apus run --changed-since origin/main` | what is defined otherwise than in that revision |
        | `apus run --shard 2/5` | the second of five parts, for machines side by side |
        | `apus run --retry 2 --jobs 20` | twice again what fails, 20 at a time |

        It ends with 0 if everything is as expected, 1 if something is not, and 2 if it cannot run; `apus check` before it finds what is
        wrong in the files. `--junit FILE` is for the pages of CI, `--html FILE` one page with every exchange, secrets masked, and `--tap`
        and `--json` are for programs. Secrets come from environment variables: `variables: { token: { env: API_TOKEN } }`.

        ## GitHub

        `make deb` makes the package; keep it where the job finds it.

            name: API
            on: [push]
            jobs:
              check:
                runs-on: ubuntu-24.04
                steps:
                  - uses: actions/checkout@v4
                  - run: sudo apt-get update
                  - run: sudo apt-get install -y ./tools/apus.deb
                  - run: apus check
                  - run: apus run -e test --junit results.xml --html results.html
                    env:
                      API_TOKEN: ${{ secrets.API_TOKEN }}
                  - uses: actions/upload-artifact@v4
                    if: always()
                    with: { name: results, path: results.* }

        ## GitLab

            check:
              image: debian:12
              script:
                - apt-get update && apt-get install -y ./tools/apus.deb
                - apus run -e test --junit results.xml
              artifacts:
                when: always
                reports: { junit: results.xml }
        """#
}
