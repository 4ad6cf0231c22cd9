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

    /// Changes the value in place; sets `initial` first when there is none.
    mutating func change<Result>(_ initial: @autoclosure () -> Value, _ body: (inout Value) -> Result) -> Result {
        if storage.isEmpty { storage = [initial()] }
        // in bounds: there is an element now.
        return body(&storage[0])
    }
}

extension LazyBox: Sendable where Value: Sendable {}
