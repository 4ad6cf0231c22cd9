/// A block of an application that will be called on the application's callback queue.
///
/// `@unchecked Sendable`: it is called on the callback queue only, never by two threads at once, and a caller who shares what it
/// captures does so on that queue, as with any callback API. The vendors' APIs take blocks that are not `@Sendable`, so that code for
/// them compiles.
///
/// A block of several values has a tuple as its input: a parameter pack in a generic type requires macOS 14 and iOS 17.
package struct CallerBlock<Input>: @unchecked Sendable {
    private let block: (Input) -> Void

    package init(_ block: @escaping (Input) -> Void) {
        self.block = block
    }

    package func callAsFunction(_ input: Input) { block(input) }
}
