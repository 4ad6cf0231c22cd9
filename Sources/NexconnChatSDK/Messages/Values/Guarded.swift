import NIOConcurrencyHelpers

/// Protects a property with a lock, so that objects with mutable properties can be shared between threads.
@propertyWrapper
public struct Guarded<Value: Sendable>: Sendable {
    private let box: NIOLockedValueBox<Value>

    /// Creates the wrapper with an initial value.
    public init(wrappedValue: Value) {
        box = NIOLockedValueBox(wrappedValue)
    }

    /// The present value of the property. May be used from any thread.
    public var wrappedValue: Value {
        get { box.withLockedValue { $0 } }
        nonmutating set {
            // The former value is released outside of the lock, because its `deinit` may read the property.
            var former = newValue
            box.withLockedValue { swap(&$0, &former) }
        }
    }
}
