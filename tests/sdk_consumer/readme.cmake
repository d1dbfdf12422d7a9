# Fails when sdk/README.md does not contain the consumer's files word for word.
file(READ ${ROOT}/sdk/README.md guide)
foreach(file CMakeLists.txt payments.cpp payments_test.cpp jobhost.yaml)
  file(READ ${ROOT}/tests/sdk_consumer/payments/${file} text)
  string(FIND "${guide}" "${text}" at)
  if(at EQUAL -1)
    message(SEND_ERROR "sdk/README.md does not show tests/sdk_consumer/payments/${file} as it is")
  endif()
endforeach()
