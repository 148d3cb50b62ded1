# Read by ctest behind the lists of tests, whose names are in TEST_LISTS: each test learns where it notes the optional
# programs that it asks for (base/optional_programs.h), and has as labels those that it asked for when it ran last.
#
# So, after a run of all tests, `ASSAY_WITHOUT="nvcc gdb" ctest -L "^(nvcc|gdb)$"` runs every test whose outcome can
# depend on them (scripts/test --without). Nobody lists such tests, so none can be forgotten.
file(GLOB notes RELATIVE ${ASKED} ${ASKED}/*)
foreach(note IN LISTS notes)
  string(REGEX MATCH "^(.*)\\.([^.]*)$" note "${note}")
  list(APPEND "asked_by_${CMAKE_MATCH_1}" ${CMAKE_MATCH_2})
endforeach()
foreach(list IN LISTS TEST_LISTS)
  foreach(test IN LISTS ${list})
    string(REPLACE "/" "," name "${test}")
    set_tests_properties("${test}" PROPERTIES ENVIRONMENT_MODIFICATION "ASSAY_ASKED=set:${ASKED}/${name}"
                         LABELS "${asked_by_${name}}")
  endforeach()
endforeach()
