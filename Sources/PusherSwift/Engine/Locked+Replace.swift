import NIOConcurrencyHelpers

extension NIOLockedValueBox {
    /// Replaces a part by `new`. The former value is released outside of the lock, because an object in an app's closure may call the
    /// library in its `deinit`.
    func replace<Part>(_ part: WritableKeyPath<Value, Part>, with new: Part) {
        var former = new
        withLockedValue { swap(&$0[keyPath: part], &former) }
    }
}
