import NIOConcurrencyHelpers

/// Protects a property with a lock of its own, so that objects with mutable properties can be shared between threads.
@propertyWrapper
public struct Guarded<Value: Sendable>: Sendable {
    private let box: NIOLockedValueBox<Value>

    /// Starts with a value.
    public init(wrappedValue: Value) {
        box = NIOLockedValueBox(wrappedValue)
    }

    /// The present value. May be used from any thread.
    public var wrappedValue: Value {
        get { box.withLockedValue { $0 } }
        nonmutating set {
            // The former value is released outside of the lock, because an object of the app may read the property in its `deinit`.
            var former = newValue
            box.withLockedValue { swap(&$0, &former) }
        }
    }
}
