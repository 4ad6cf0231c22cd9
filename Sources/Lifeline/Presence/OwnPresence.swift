import WireCoding

// The data that others see of this client's user. Rule LL-112.
extension Presence {
    /// Changes the data that others see of this client's user in the channel: their ``members`` have it as ``Member/info``, and their
    /// ``changes`` an ``PresenceChange/Action/update``. So does this client. Returns when the service has accepted it.
    ///
    /// The client tells it again after each reconnect, until the channel is left. A value in another channel is another value. The service
    /// can read it, also with a cipher key.
    ///
    /// Only PubNub has it. What others see of a member of a Pusher channel is part of the authorisation: change what your endpoint answers,
    /// then unsubscribe the channel and subscribe it again; others see a leave and a join. Chat knows no data of participants. Ask
    /// ``Channel/supports(_:)`` with ``ChannelFeature/ownPresenceData`` before.
    ///
    /// - Parameter value: encoded as a JSON object. An empty one takes the data away.
    /// - Throws: ``LifelineError/Code/unsupported``; ``LifelineError/Code/badRequest`` for what is not an object, or too long for the service;
    ///   ``LifelineError/Code/unencodable``; ``LifelineError/Code/notSubscribed`` when the room has ended; why the service refused, or did
    ///   not answer, in which case nobody knows whether it was taken.
    public func setOwnData(_ value: some Encodable) async throws(LifelineError) {
        try await tell(try Publication.encoded(value))
    }

    /// The same with JSON text, which is sent as it is. See ``setOwnData(_:)``.
    ///
    /// - Throws: as ``setOwnData(_:)``.
    public func setOwnData(json: String) async throws(LifelineError) {
        try await tell(try Publication.checked(json))
    }

    private func tell(_ json: String) async throws(LifelineError) {
        if core.requiresEncryption {
            throw .unsupported(feature: "encryption of presence data", service: core.adapter.serviceName)
        }
        try core.adapter.check(.ownPresenceData, of: hold.feed.channel)
        guard JSONText(checked: json).kind == .object else {
            throw LifelineError(.badRequest, "Presence data has to be a JSON object, such as {\"mood\":\"busy\"}.")
        }
        guard !hold.feed.isEnded else {
            throw LifelineError(.notSubscribed, "The room has ended. Subscribe to \(hold.feed.channel) first.")
        }
        try await core.adapter.setOwnPresence(json, of: hold.feed.channel)
    }
}
