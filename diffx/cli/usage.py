"""The page that `diffx --help` prints, ready-made: building it would cost more than Python's start.

A plain string, for the same reason: importing `typing` alone takes longer than all the rest.
"""

USAGE = """\
usage: diffx [PATH | -] [options]
       diffx config get|set|remove [KEY] [VALUE]
       diffx contexts|comments|reply|resolve|wait ...
       diffx dev --fixture FILE
       diffx completion bash|zsh|fish
       diffx help [COMMAND] [--man]

Review the changes in a Git checkout, or a patch, in the browser.

diffx collects the changes once (committed on this branch, staged, unstaged and untracked),
stores them, and serves the review until Ctrl-C. Later edits do not change what is shown.

arguments:
  PATH                   a path in the checkout (default: this folder)
  -                      read a patch from standard input, as a pipe into diffx does

what to compare:
  --base REF             compare with REF; HEAD shows uncommitted changes only
                         (default: where this branch left the default branch)
  --engine NAME          how the repository is read: auto, git or libgit2
                         (default: auto, which takes git where there is one)
  --repository-key KEY   identity to use where .git cannot be written
  --checkout-key KEY     likewise, of this checkout
  --source-id ID         identity of this installation

where to serve it:
  --host IP              address to listen on (default: 127.0.0.1)
  --port N               port to listen on; 0 takes any (default: first free of 7981-7990)
  --state FILE           database to keep reviews in, or 'memory' to keep nothing
                         (default: ~/.local/state/diffx/state.db)
  --config-file FILE     personal settings to use (default: ~/.config/diffx/config.json)
  --web-dir DIR          serve the web UI from this folder
  --replace              stop the instance that owns the database first
  --no-browser           do not open a browser
  --print                print the address of the review, nothing else

others:
  --debug                say on stderr what is being done
  --version              print the version and exit
  -h, --help             print this page and exit; `diffx help COMMAND` knows more

commands:
  contexts, comments, reply, resolve, wait
                         list reviews, read one's comments and answer them, for agents
  config                 read and change the personal settings
  dev                    serve a saved patch, keeping nothing
  completion             print a completion script for bash, zsh or fish
  help                   print this page, a command's own, or with --man the manual

examples:
  diffx                            review the checkout that holds this folder
  diffx ~/src/app --base main      review it against main
  git show HEAD~2 | diffx          review any patch
  diffx < saved.patch              likewise, from a file

environment:
  DIFFX_HOST, DIFFX_PORT, DIFFX_STATE, DIFFX_WEB_DIR, DIFFX_SOURCE_ID, DIFFX_REPOSITORY_KEY,
  DIFFX_CHECKOUT_KEY, DIFFX_RETENTION_DAYS and DIFFX_CONFIG_PATH stand in for the flag or the
  setting of that name; a flag wins over them, and they win over the settings file.

exit codes:
  0 done   1 failed   2 wrong usage or input   3 another instance owns the database
  4 nothing new (diffx wait)   130 interrupted
"""
