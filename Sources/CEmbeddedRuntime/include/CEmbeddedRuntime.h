// SPDX-License-Identifier: Apache-2.0
// Corrections of Embedded Swift's runtime, which take its functions' place when a program is linked. Nothing calls them by
// this header.
