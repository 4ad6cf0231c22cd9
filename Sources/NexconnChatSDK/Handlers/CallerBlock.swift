/// A caller's block that will be called on the callback queue.
///
/// `@unchecked Sendable`: it is called on the callback queue only, never by two threads at once, and a caller who shares what it
/// captures does so on that queue, as with any callback API. Blocks of the vendor's SDK are plain ones, so that code for it compiles.
struct CallerBlock<each Input>: @unchecked Sendable {
    private let block: ((repeat each Input) -> Void)?

    init(_ block: ((repeat each Input) -> Void)?) {
        self.block = block
    }

    func callAsFunction(_ input: repeat each Input) {
        block?(repeat each input)
    }
}
