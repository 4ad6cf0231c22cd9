import NIOConcurrencyHelpers

/// A property behind a lock of its own: what makes the mutable values of this API safe to share between threads.
@propertyWrapper
public struct Guarded<Value: Sendable>: Sendable {
    private let box: NIOLockedValueBox<Value>

    public init(wrappedValue: Value) {
        box = NIOLockedValueBox(wrappedValue)
    }

    public var wrappedValue: Value {
        get { box.withLockedValue { $0 } }
        nonmutating set { box.withLockedValue { $0 = newValue } }
    }
}
