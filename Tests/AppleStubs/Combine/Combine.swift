// The declarations of Combine that LifelineUI uses, as Apple documents them, without anything behind them. For type-checking on Linux only;
// Scripts/check-apple.sh.

public protocol CustomCombineIdentifierConvertible {}
extension CustomCombineIdentifierConvertible where Self: AnyObject {}

public protocol Cancellable {
    func cancel()
}

public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {
    func request(_ demand: Subscribers.Demand)
}

public enum Subscribers {
    public struct Demand: Equatable, Hashable, Sendable {
        public static let unlimited = Demand()
        public static let none = Demand()
        public var max: Int? { nil }
    }

    public enum Completion<Failure: Error> {
        case finished
        case failure(Failure)
    }
}

public protocol Subscriber<Input, Failure>: CustomCombineIdentifierConvertible {
    associatedtype Input
    associatedtype Failure: Error
    func receive(subscription: any Subscription)
    func receive(_ input: Input) -> Subscribers.Demand
    func receive(completion: Subscribers.Completion<Failure>)
}

public protocol Publisher<Output, Failure> {
    associatedtype Output
    associatedtype Failure: Error
    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure
}

public struct AnyPublisher<Output, Failure: Error>: Publisher {
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {}
}

extension Publisher {
    public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { AnyPublisher() }
}
