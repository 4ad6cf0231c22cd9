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
        nonmutating set { box.withLockedValue { $0 = newValue } }
    }
}
