/// A block of an application, which is called on the application's callback queue.
///
/// The type is `@unchecked Sendable` because the vendors' APIs take blocks that are not `@Sendable`. The callback queue never calls a block
/// from two threads at once; the application must use the values that the block captures on that queue only.
///
/// A block with several parameters has a tuple as its `Input`, because a parameter pack in a generic type requires macOS 14 and iOS 17.
package struct CallerBlock<Input>: @unchecked Sendable {
    private let block: (Input) -> Void

    package init(_ block: @escaping (Input) -> Void) {
        self.block = block
    }

    package func callAsFunction(_ input: Input) { block(input) }
}
