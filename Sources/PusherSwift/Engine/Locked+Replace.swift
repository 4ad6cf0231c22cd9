import NIOConcurrencyHelpers

extension NIOLockedValueBox {
    /// Puts `new` in the place of what is there. The former value is released outside of the lock: what an app's closure holds may
    /// call back into the library when it goes.
    func replace<Part>(_ part: WritableKeyPath<Value, Part>, with new: Part) {
        var former = new
        withLockedValue { swap(&$0[keyPath: part], &former) }
    }
}
