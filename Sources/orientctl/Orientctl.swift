// SPDX-License-Identifier: Apache-2.0

@main
struct Orientctl {
    static func main() {}
}
