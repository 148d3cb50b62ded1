# Called by CPack when the files that it packs are installed: does with them what Debian asks for beyond an installation.
set(usr ${CPACK_TEMPORARY_DIRECTORY}/usr)
set(share ${usr}/share)
set(doc ${share}/doc/assay)
set(source ${CMAKE_CURRENT_LIST_DIR}/../..)
list(GET CPACK_INSTALL_CMAKE_PROJECTS 0 build)

# Debug information goes, except that of kernels: findings and statistics name their lines.
file(GLOB_RECURSE stripped ${usr}/bin/* ${usr}/lib/assay/*)
list(FILTER stripped EXCLUDE REGEX "/libkernels_")
set(programs)
foreach(file ${stripped})
  file(READ ${file} magic LIMIT 4 HEX)
  if(magic STREQUAL "7f454c46") # ELF: assay-nvcc is a script
    list(APPEND programs ${file})
  endif()
endforeach()
execute_process(COMMAND strip --strip-unneeded ${programs} COMMAND_ERROR_IS_FATAL ANY)

file(MAKE_DIRECTORY ${share}/zsh/vendor-completions)
file(RENAME ${share}/zsh/site-functions/_assay ${share}/zsh/vendor-completions/_assay)
file(REMOVE_RECURSE ${share}/zsh/site-functions)

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${doc}/changelog "assay (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * CHANGELOG.md in this folder has what users notice.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
file(COPY ${source}/CHANGELOG.md DESTINATION ${doc})
file(GLOB compressed ${share}/man/man1/* ${doc}/changelog)
execute_process(COMMAND gzip -9n ${compressed} COMMAND_ERROR_IS_FATAL ANY)

# Headers of other projects are compiled in, under licences that ask to be named.
execute_process(COMMAND ${source}/scripts/notices.sh ${build} ${doc}/licenses COMMAND_ERROR_IS_FATAL ANY)
file(WRITE ${doc}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Comment: The folder licenses has those of the packages whose headers are compiled in.

Files: *
Copyright: the authors of Assay
License: Apache-2.0
 The text is in /usr/share/common-licenses/Apache-2.0.
")
