/// A value that most connections never have: takes 8 bytes until it is set.
struct LazyBox<Value> {
    /// Empty, or one value.
    private var storage: [Value] = []

    var value: Value? {
        get { storage.first }
        set {
            guard let newValue else { return storage = [] }
            if storage.isEmpty { storage = [newValue] } else { storage[0] = newValue }
        }
    }
}

extension LazyBox: Sendable where Value: Sendable {}
