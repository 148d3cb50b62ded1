# Completion of assay's words in fish: assay itself knows them.
complete -c assay -a '(set -l words (commandline -opc); $words[1] complete -- $words[2..] (commandline -ct) 2> /dev/null)'
