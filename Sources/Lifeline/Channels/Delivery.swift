/// What a channel brings: messages, and the places where messages may be missing.
public enum Delivery: Sendable {
    /// A message, in the order in which the service sent it.
    case message(Message)
    /// Messages may be missing here.
    case gap(Gap)
    /// Something failed: a message could not be opened, or the channel could not be subscribed again. When `willRetry` is false,
    /// this is the last element.
    case failed(LifelineError, willRetry: Bool)
}
