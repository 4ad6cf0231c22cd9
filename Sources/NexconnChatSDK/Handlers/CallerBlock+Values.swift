import EngineRuntime

// Initialisers for the blocks of the chat API, which may be nil and have up to three parameters.
extension CallerBlock {
    init(_ block: ((Input) -> Void)?) {
        self.init { block?($0) }
    }

    init<First, Second>(_ block: ((First, Second) -> Void)?) where Input == (First, Second) {
        self.init { block?($0.0, $0.1) }
    }

    init<First, Second, Third>(_ block: ((First, Second, Third) -> Void)?) where Input == (First, Second, Third) {
        self.init { block?($0.0, $0.1, $0.2) }
    }

    func callAsFunction<First, Second>(_ first: First, _ second: Second) where Input == (First, Second) {
        self((first, second))
    }
}
