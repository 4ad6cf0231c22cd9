/// The outcome of publishing a message.
public enum PublishOutcome: Hashable, Sendable {
    /// The service accepted the message. `id` is the message's id, if the service has ids.
    case accepted(id: String?)
    /// The service did not accept the message; subscribers will not get it.
    case refused(LifelineError)
    /// It is unknown whether the service accepted the message, because the connection or the answer was lost. Subscribers get it at
    /// most once.
    case unknown(LifelineError)

    /// Whether the service accepted the message.
    public var isAccepted: Bool {
        if case .accepted = self { true } else { false }
    }
}
