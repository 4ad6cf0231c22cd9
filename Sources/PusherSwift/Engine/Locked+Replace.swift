import NIOConcurrencyHelpers

extension NIOLockedValueBox {
    /// Replaces one property of the locked value by `new`. The former value is released outside of the lock, because its `deinit` may call
    /// the library.
    func replace<Part>(_ part: WritableKeyPath<Value, Part>, with new: Part) {
        var former = new
        withLockedValue { swap(&$0[keyPath: part], &former) }
    }
}
