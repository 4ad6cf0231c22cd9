import Foundation
import PubNubProtocol
import WireCoding

// Async functions for data about users and channels (App Context), an addition to the Cocoa SDK. They do not use the callback queue, and
// cancelling the task ends the request (rules PL-95 and PL-96).
extension PubNub {
    /// Sets data about a user.
    ///
    /// ```swift
    /// let ann = try await client.setUserMetadata(PNUserFields(name: "Ann", custom: ["level": 3]), of: "ann")
    /// ```
    ///
    /// - Parameters:
    ///   - fields: the fields to set; nil fields stay unchanged.
    ///   - user: the user's id; by default the client's own user id.
    ///   - include: the optional fields of the answer.
    /// - Throws: ``PNCallError`` with the status of the failed call; also when the task is cancelled.
    @discardableResult
    public func setUserMetadata(
        _ fields: PNUserFields, of user: String? = nil, include: PNUUIDFields = .customField
    ) async throws(PNCallError) -> PNUUIDMetadata {
        let texts = [
            "name": fields.name, "externalId": fields.externalID, "profileUrl": fields.profileURL, "email": fields.email,
        ]
        let content = try objectContent(texts, custom: fields.custom)
        return PNUUIDMetadata(
            try await object(PubNubObjectsCall(.set(content), .user(user ?? uuid()), include: include.include)))
    }

    /// Removes data about a user, by default about the client's own user.
    ///
    /// - Throws: ``PNCallError`` with the status of the failed call; also when the task is cancelled.
    public func removeUserMetadata(of user: String? = nil) async throws(PNCallError) {
        _ = try await answer(to: PubNubObjectsCall(.remove, .user(user ?? uuid())))
    }

    /// Fetches data about a user, by default about the client's own user.
    ///
    /// - Throws: ``PNCallError`` with the status of the failed call; also when the task is cancelled.
    public func userMetadata(
        of user: String? = nil, include: PNUUIDFields = .customField
    ) async throws(PNCallError) -> PNUUIDMetadata {
        PNUUIDMetadata(try await object(PubNubObjectsCall(.get, .user(user ?? uuid()), include: include.include)))
    }

    /// Fetches one page of the data about all users.
    ///
    /// - Throws: ``PNCallError`` with the status of the failed call; also when the task is cancelled.
    public func allUserMetadata(
        _ query: PNObjectsQuery = PNObjectsQuery(), include: PNUUIDFields = []
    ) async throws(PNCallError) -> PNObjectsPage<PNUUIDMetadata> {
        try await page(PubNubObjectsCall(.get, .users, include: include.include, page: query.page)) { PNUUIDMetadata($0) }
    }

    /// Sets data about a channel.
    ///
    /// - Throws: ``PNCallError`` with the status of the failed call; also when the task is cancelled.
    @discardableResult
    public func setChannelMetadata(
        _ fields: PNChannelInfo, of channel: String, include: PNChannelFields = .customField
    ) async throws(PNCallError) -> PNChannelMetadata {
        let content = try objectContent(
            ["name": fields.name, "description": fields.information], custom: fields.custom)
        return PNChannelMetadata(
            try await object(PubNubObjectsCall(.set(content), .channel(channel), include: include.include)))
    }

    /// Removes data about a channel.
    ///
    /// - Throws: ``PNCallError`` with the status of the failed call; also when the task is cancelled.
    public func removeChannelMetadata(of channel: String) async throws(PNCallError) {
        _ = try await answer(to: PubNubObjectsCall(.remove, .channel(channel)))
    }

    /// Fetches data about a channel.
    ///
    /// - Throws: ``PNCallError`` with the status of the failed call; also when the task is cancelled.
    public func channelMetadata(
        of channel: String, include: PNChannelFields = .customField
    ) async throws(PNCallError) -> PNChannelMetadata {
        PNChannelMetadata(try await object(PubNubObjectsCall(.get, .channel(channel), include: include.include)))
    }

    /// Fetches one page of the data about all channels.
    ///
    /// - Throws: ``PNCallError`` with the status of the failed call; also when the task is cancelled.
    public func allChannelMetadata(
        _ query: PNObjectsQuery = PNObjectsQuery(), include: PNChannelFields = []
    ) async throws(PNCallError) -> PNObjectsPage<PNChannelMetadata> {
        try await page(PubNubObjectsCall(.get, .channels, include: include.include, page: query.page)) {
            PNChannelMetadata($0)
        }
    }
}

extension PubNub {
    /// Sends a request whose answer is one metadata object. The call's decoder has checked that the answer contains this object.
    private func object(_ call: PubNubObjectsCall) async throws(PNCallError) -> JSONText {
        guard let object = try await answer(to: call).object else {
            throw PNCallError(.malformed("The service's answer contains no metadata object."))
        }
        return object
    }

    func page<Element: Sendable>(
        _ call: PubNubObjectsCall, _ element: (JSONText) -> Element
    ) async throws(PNCallError) -> PNObjectsPage<Element> {
        let objects = try await answer(to: call)
        return PNObjectsPage(
            elements: objects.list.map(element), next: objects.next, previous: objects.previous,
            totalCount: objects.totalCount)
    }

    /// Encodes metadata as JSON, `{"name":"…","custom":{…}}`, without fields that are nil.
    func objectContent(
        _ texts: [String: String?], custom: (any Encodable & Sendable)?
    ) throws(PNCallError) -> JSONText {
        var members = texts.sorted { $0.key < $1.key }.compactMap { key, text in
            text.map { "\(JSONWriter.string(key)):\(JSONWriter.string($0))" }
        }
        if let custom { members.append("\"custom\":\(try customFields(custom).text)") }
        return JSONText(checked: "{\(members.joined(separator: ","))}")
    }

    /// Encodes your own fields and checks that each value is a string, a number, a boolean or null.
    func customFields(_ custom: any Encodable & Sendable) throws(PNCallError) -> JSONText {
        let text = try json(custom)
        let isFlat = text.members?.allSatisfy { member in member.value.kind != .object && member.value.kind != .array }
        guard isFlat == true else {
            throw PNCallError(
                .badArguments("The custom fields are not an object whose values are strings, numbers, booleans or null."))
        }
        return text
    }
}
