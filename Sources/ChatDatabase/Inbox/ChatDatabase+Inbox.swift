import NexconnProtocol

extension ChatDatabase {
    /// Keeps what came through the inbox, and how far it has come, in one transaction: after a crash both agree (rule CD-10).
    ///
    /// What was there already changes nothing: items up to the place that was reached, messages whose id is known, own messages
    /// whose client id is known. Messages are counted as unread when they are received, counted, and later than the channel's read
    /// mark. Items need not be in order of their time.
    /// - Parameter place: where to resume when all of `items` are kept.
    /// - Returns: what is new, in order, for handlers.
    public func receive(_ items: [NexconnInboxItem], place: NexconnPlace) throws(ChatDatabaseError) -> [ReceivedChange] {
        let (changes, reached) = try write { transaction in
            let known = try WriteTransaction.place(transaction.database)
            let isSameEpoch = known?.epoch == place.epoch
            var intake = Intake(transaction: transaction)
            for item in items {
                if isSameEpoch, let known, item.sequence <= known.sequence { continue }
                try intake.take(item.event)
            }
            var reached = place
            if isSameEpoch, let known { reached.sequence = max(reached.sequence, known.sequence) }
            try transaction.save(reached, lastID: intake.lastID)
            return (intake.changes, reached)
        }
        remember(place: reached)
        return changes
    }

    /// Keeps messages that came outside the inbox, such as those of open channels, which have no place there.
    /// - Returns: those that are new, as changes.
    public func receive(transient events: [NexconnEvent]) throws(ChatDatabaseError) -> [ReceivedChange] {
        try write { transaction in
            var intake = Intake(transaction: transaction)
            for event in events { try intake.take(event) }
            return intake.changes
        }
    }
}
