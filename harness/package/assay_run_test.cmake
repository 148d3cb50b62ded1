# assay_run_test(TARGET [NAME name] [OPTIONS …] [ARGS …]): one test, which runs the program TARGET under `assay run`, without a
# GPU. It fails where a finding is made, and where the program itself fails.
#
#   TARGET   an executable of this project, with its kernels' PTX inside: CUDA_ARCHITECTURES 90, say
#   NAME     of the test; left out: TARGET.assay
#   OPTIONS  of `assay run`: --tool racecheck, --schedules 3; ARGS: the program's
#
# Its label is "assay".
function(assay_run_test target)
  cmake_parse_arguments(PARSE_ARGV 1 RUN "" "NAME" "OPTIONS;ARGS")
  if(RUN_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "assay_run_test(${target}): unknown arguments: ${RUN_UNPARSED_ARGUMENTS}")
  elseif(NOT TARGET ${target})
    message(FATAL_ERROR "assay_run_test(${target}): there is no target ${target}")
  endif()
  if(NOT RUN_NAME)
    set(RUN_NAME ${target}.assay)
  endif()
  add_test(NAME ${RUN_NAME} COMMAND Assay::assay run ${RUN_OPTIONS} -- $<TARGET_FILE:${target}> ${RUN_ARGS})
  set_tests_properties(${RUN_NAME} PROPERTIES LABELS assay)
endfunction()
