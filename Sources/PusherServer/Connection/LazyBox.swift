/// A value that most connections do not have. An empty box takes 8 bytes.
struct LazyBox<Value> {
    /// An empty array, or an array with the value.
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
        // in bounds: an empty array got its element in the line above.
        return body(&storage[0])
    }
}

extension LazyBox: Sendable where Value: Sendable {}
