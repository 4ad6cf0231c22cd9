/// What happened to a published message: accepted, refused, or unknown.
public enum PublishOutcome: Hashable, Sendable {
    /// The service accepted the message. `id` is the message's id, if the service has ids.
    case accepted(id: String?)
    /// The service did not accept the message; no subscriber will receive it.
    case refused(LifelineError)
    /// It is unknown whether the service accepted the message, because the connection or the answer was lost. Subscribers receive the
    /// message at most once.
    case unknown(LifelineError)

    /// Whether the outcome is ``accepted(id:)``; false for refused and for unknown.
    public var isAccepted: Bool {
        if case .accepted = self { true } else { false }
    }
}
