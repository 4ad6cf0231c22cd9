import ChatProtocol

extension ChatDatabase {
    /// Stores events of the inbox together with the new position, in one transaction, so that both are consistent after a crash (rule
    /// CD-10).
    ///
    /// Known items change nothing: items up to the stored position, messages whose id is known, and own messages whose client id is known.
    /// A received message counts as unread if it is to be counted and is later than the channel's read mark. Items need not be in the order
    /// of their times.
    /// - Parameter place: the position from which to resume once all of `items` are stored.
    /// - Returns: the changes, in order, for handlers.
    public func receive(_ items: [ChatInboxItem], place: ChatPlace) throws(ChatDatabaseError) -> [ReceivedChange] {
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

    /// Stores events that arrived outside of the inbox, such as messages of open channels, which have no position in it.
    /// - Returns: the changes of the events that are new.
    public func receive(transient events: [ChatWireEvent]) throws(ChatDatabaseError) -> [ReceivedChange] {
        try write { transaction in
            var intake = Intake(transaction: transaction)
            for event in events { try intake.take(event) }
            return intake.changes
        }
    }
}
