// SPDX-License-Identifier: Apache-2.0

import CLinux

/// Throws a usage error if an option of `invocation` names the file `input`, which is read: writing would destroy it.
func rejectInput(_ input: String, as option: String, of invocation: Invocation) throws(CommandError) {
    guard let output = invocation.value(of: option), output != "-" else { return }
    var read = stat()
    var written = stat()
    guard (input == "-" ? fstat(STDIN_FILENO, &read) : stat(input, &read)) == 0, stat(output, &written) == 0,
        read.st_mode & mode_t(S_IFMT) == mode_t(S_IFREG), read.st_dev == written.st_dev, read.st_ino == written.st_ino
    else { return }
    throw CommandError("--\(option)=\(output) is the file that is read: name another one", .usage)
}
