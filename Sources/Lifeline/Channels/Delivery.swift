/// An element of ``Deliveries``: a message, a gap or a failure.
public enum Delivery: Sendable {
    /// A message of the channel. Messages are in the order in which the service sent them.
    case message(Message)
    /// Messages may be missing at this position of the sequence.
    case gap(Gap)
    /// A message could not be decrypted, or the channel could not be subscribed again. If the subscription failed and `willRetry` is false,
    /// this is the last element of the sequence.
    case failed(LifelineError, willRetry: Bool)

    /// The user who published the message, if the service reports it.
    var publisher: String? {
        if case .message(let message) = self { message.user } else { nil }
    }
}
