/// What became of a published message.
public enum PublishOutcome: Hashable, Sendable {
    /// The service has it; `id` when the service gives messages one.
    case accepted(id: String?)
    /// The service does not have it, and subscribers will not see it.
    case refused(LifelineError)
    /// Nobody knows: the connection or the answer was lost. Subscribers may see it once.
    case unknown(LifelineError)

    /// Whether the service has the message.
    public var isAccepted: Bool {
        if case .accepted = self { true } else { false }
    }
}
