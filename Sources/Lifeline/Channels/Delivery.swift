/// What a channel brings: messages, and the places where messages may be missing.
public enum Delivery: Sendable {
    case message(Message)
    /// Messages may be missing here.
    case gap(Gap)
    /// The service refused to go on with the channel. When `willRetry` is false, this is the last element.
    case failed(LifelineError, willRetry: Bool)
}
