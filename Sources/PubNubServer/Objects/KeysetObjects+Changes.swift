import Identifiers

/// A change of App Context that a client requests. The request is well-formed, but limits are not checked yet.
enum ObjectCall: Hashable, Sendable {
    case set(KeysetObjects.Kind, Identifier, ObjectPatch)
    case remove(KeysetObjects.Kind, Identifier)
    case memberships(user: Identifier, [ObjectInput.Membership])
    case members(channel: Identifier, [ObjectInput.Membership])
}

extension KeysetObjects {
    /// Determines the change and the events of a call, without changing anything.
    ///
    /// - Parameters:
    ///   - now: the time in units of 100 ns.
    ///   - eTag: the version that the user or channel must have; `*` for any version; nil for no condition (rule PO-6).
    func decide(_ call: ObjectCall, at now: UInt64, ifMatch eTag: String? = nil) throws(ObjectProblem) -> ObjectDecision {
        switch call {
        case .set(let kind, let id, let patch):
            let old = table(kind)[id]
            if let eTag, old?.isVersion(eTag) != true { throw .changed(kind) }
            var content = old?.content ?? ObjectContent()
            content.apply(patch)
            // Setting content that equals the current content changes nothing (rule PO-16).
            if let old, old.content.isExactly(content) { return ObjectDecision() }
            try checkRecord(content)
            let change = ObjectChange(
                target: kind == .user ? .user(id) : .channel(id), metadata: ObjectMetadata(content, updated: now))
            guard old != nil || table(kind).count < limits.entities else {
                throw .full(
                    "The keyset has reached its maximum number of \(kind == .user ? "users" : "channels"). Remove some first.")
            }
            try checkBytes([change])
            return ObjectDecision(changes: [change], events: events(of: change))
        case .remove(let kind, let id):
            // Removing a user or channel that does not exist succeeds, so that a client can repeat the request.
            guard table(kind)[id] != nil else { return ObjectDecision() }
            let change = ObjectChange(target: kind == .user ? .user(id) : .channel(id))
            return ObjectDecision(changes: [change], events: events(of: change))
        case .memberships(let user, let inputs):
            return try decide(inputs.map { (.membership(user: user, channel: $0.id), $0.patch) }, at: now)
        case .members(let channel, let inputs):
            return try decide(inputs.map { (.membership(user: $0.id, channel: channel), $0.patch) }, at: now)
        }
    }

    /// Applies the entries in the order of the request. If several entries are for the same membership, a later entry changes the result of
    /// an earlier one.
    private func decide(
        _ inputs: [(target: ObjectChange.Target, patch: ObjectPatch?)], at now: UInt64
    ) throws(ObjectProblem) -> ObjectDecision {
        var decision = ObjectDecision()
        var latest: [ObjectChange.Target: ObjectMetadata?] = [:]
        for (target, patch) in inputs {
            let old = latest[target] ?? self[target]
            var change = ObjectChange(target: target)
            if let patch {
                var content = old?.content ?? ObjectContent()
                content.apply(patch)
                if let old, old.content.isExactly(content) { continue }
                try checkRecord(content)
                change.metadata = ObjectMetadata(content, updated: now)
            } else if old == nil {
                continue
            }
            latest[target] = .some(change.metadata)
            decision.changes.append(change)
            decision.events += events(of: change)
        }
        try checkMemberships(latest)
        try checkBytes(latest.map { ObjectChange(target: $0.key, metadata: $0.value) })
        return decision
    }

    private func checkMemberships(_ changes: [ObjectChange.Target: ObjectMetadata?]) throws(ObjectProblem) {
        var (all, byUser, byChannel): (Int, [Identifier: Int], [Identifier: Int]) = (0, [:], [:])
        for case (.membership(let user, let channel), let metadata) in changes {
            let difference = (metadata == nil ? 0 : 1) - (memberships[user]?[channel] == nil ? 0 : 1)
            all += difference
            byUser[user, default: 0] += difference
            byChannel[channel, default: 0] += difference
        }
        // The limit is checked only when memberships are added. So memberships can still be removed after the limit was set below their
        // present number.
        guard all <= 0 || membershipCount + all <= limits.memberships else {
            throw .full("The keyset has reached its maximum number of memberships. Remove some first.")
        }
        for (user, more) in byUser where more > 0 && (memberships[user]?.count ?? 0) + more > limits.perUser {
            throw .full("A user has reached the maximum of \(limits.perUser) memberships. Remove some first.")
        }
        for (channel, more) in byChannel where more > 0 && (members[channel]?.count ?? 0) + more > limits.perChannel {
            throw .full("A channel has reached the maximum of \(limits.perChannel) members. Remove some first.")
        }
    }

    private func checkRecord(_ content: ObjectContent) throws(ObjectProblem) {
        guard content.textBytes <= limits.record else {
            throw .invalid(
                "The metadata of a user, channel or membership exceeds \(limits.record) bytes.", location: "custom",
                in: "body")
        }
    }

    private func checkBytes(_ changes: [ObjectChange]) throws(ObjectProblem) {
        let more = changes.reduce(0) { sum, change in
            sum + (change.metadata.map { Self.size(of: change.target, $0) } ?? 0)
                - (self[change.target].map { Self.size(of: change.target, $0) } ?? 0)
        }
        guard more <= 0 || bytes + more <= limits.bytes else {
            throw .full("The keyset's App Context has reached its maximum size. Remove some data first.")
        }
    }

    /// The channels on which a change is published (rule PO-8). A change of a channel is published on that channel. A change of a
    /// membership is published on its channel, and on the channel that has the user's id as its name. A change of a user is published on
    /// the channel that has the user's id as its name, and on all channels that the user is a member of.
    private func events(of change: ObjectChange) -> [ObjectDecision.Event] {
        let payload = ObjectBodies.event(change)
        var names: [Identifier] =
            switch change.target {
            case .user(let id): [id] + (memberships[id]?.ids ?? [])
            case .channel(let id): [id]
            case .membership(let user, let channel): [channel, user]
            }
        // User ids that are not valid channel names are skipped, because no client can subscribe to them.
        names = names.filter { PubNubDraft.isValid(channel: $0.text) }
        var seen: Set<Identifier> = []
        names = names.filter { seen.insert($0).inserted }
        let most = max(1, limits.eventBytes / max(1, payload.count))
        return names.prefix(most).map { ObjectDecision.Event(channel: $0, payload: payload) }
    }
}
