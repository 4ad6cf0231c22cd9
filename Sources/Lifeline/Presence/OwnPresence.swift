import WireCoding

// Changing the data that other users see about this client's user (rule LL-112).
extension Presence {
    /// Changes the data that other users see about this client's user in the channel. Returns when the service has accepted the data. The
    /// data becomes the ``Member/info`` of the user's entry in ``members``. ``changes`` delivers a ``PresenceChange/Action/update``, to
    /// other clients and to this one.
    ///
    /// The client sends the data again after each reconnect, until it leaves the channel. Each channel has separate data. The service can
    /// read the data, also with a cipher key.
    ///
    /// Only PubNub has this feature. The data of a member of a Pusher channel is part of the authorisation: change the answer of your
    /// endpoint, then unsubscribe the channel and subscribe it again; other users see a leave and a join. Chat has no data about
    /// participants. Check ``Channel/supports(_:)`` with ``ChannelFeature/ownPresenceData`` first.
    ///
    /// - Parameter value: encoded as a JSON object. An empty object removes the data.
    /// - Throws: ``LifelineError/Code/unsupported``; ``LifelineError/Code/badRequest`` for a value that is not an object or is too long for
    ///   the service; ``LifelineError/Code/unencodable``; ``LifelineError/Code/notSubscribed`` when the room has ended; the failure when
    ///   the service refused or did not answer; without an answer it is unknown whether the data was accepted.
    public func setOwnData(_ value: some Encodable) async throws(LifelineError) {
        try await tell(try Publication.encoded(value))
    }

    /// Changes the data with JSON text, which is sent unchanged. See ``setOwnData(_:)``.
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
            throw LifelineError(.badRequest, "The presence data is not a JSON object such as {\"mood\":\"busy\"}.")
        }
        guard !hold.feed.isEnded else {
            throw LifelineError(
                .notSubscribed, "The subscription of this room has ended. Subscribe to channel \(hold.feed.channel) again.")
        }
        try await core.adapter.setOwnPresence(json, of: hold.feed.channel)
    }
}
