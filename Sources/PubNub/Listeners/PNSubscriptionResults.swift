/// A published message that was received.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNMessageResult: PNResult, @unchecked Sendable {
    /// The message's content.
    public let data: PNMessageData

    init(_ data: PNMessageData) {
        self.data = data
        super.init(facts: .received(data))
    }
}

/// A signal that was received.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNSignalResult: PNResult, @unchecked Sendable {
    /// The signal's content.
    public let data: PNSignalData

    init(_ data: PNSignalData) {
        self.data = data
        super.init(facts: .received(data))
    }
}

/// A change of a message's actions.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNMessageActionResult: PNResult, @unchecked Sendable {
    /// The action, and whether it was added or removed.
    public let data: PNMessageActionData

    init(_ data: PNMessageActionData) {
        self.data = data
        super.init(facts: .received(data))
    }
}

/// A presence event that was received.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNPresenceEventResult: PNResult, @unchecked Sendable {
    /// The presence event.
    public let data: PNPresenceEventData

    init(_ data: PNPresenceEventData) {
        self.data = data
        super.init(facts: .received(data))
    }
}

/// A change of the metadata of a user, a channel or a membership.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNObjectEventResult: PNResult, @unchecked Sendable {
    /// The changed object and its metadata after the change.
    public let data: PNObjectEventData

    init(_ data: PNObjectEventData) {
        self.data = data
        super.init(facts: .received(data))
    }
}

/// A file that was shared on a channel.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNFileEventResult: PNResult, @unchecked Sendable {
    /// The file, and the sender's message about it.
    public let data: PNFileEventData

    init(_ data: PNFileEventData) {
        self.data = data
        super.init(facts: .received(data))
    }
}

extension ResultFacts {
    static func received(_ data: PNSubscriberData) -> ResultFacts {
        ResultFacts(operation: .subscribeOperation, context: data.batch.context)
    }
}
