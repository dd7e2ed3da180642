// SPDX-License-Identifier: Apache-2.0

import CommandLineOptions
import Synchronization

private let isParsing = Mutex(())

extension OptionParser {
    /// Parses while no other test does: getopt_long(3) keeps its state in global variables.
    func parseAlone(_ arguments: [String]) throws(OptionError) -> Result {
        try isParsing.withLock { _ throws(OptionError) in try parse(arguments) }
    }
}
