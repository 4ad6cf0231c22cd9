import Foundation
import PubNubProtocol
import WireCoding

// Async functions for memberships of users in channels (App Context), an addition to the Cocoa SDK. They do not use the callback queue, and
// cancelling the task ends the request (rules PL-95 and PL-96). Functions that change memberships return one page of the memberships after
// the change.
extension PubNub {
    /// Makes a user, by default the client's own user, a member of channels.
    ///
    /// - Throws: ``PNCallError`` with the status of the failed call; also when the task is cancelled.
    @discardableResult
    public func setMemberships(
        in channels: [PNRelation], of user: String? = nil, _ query: PNObjectsQuery = PNObjectsQuery(),
        include: PNMembershipFields = []
    ) async throws(PNCallError) -> PNObjectsPage<PNMembership> {
        try await manageMemberships(setting: channels, removing: [], of: user, query, include: include)
    }

    /// Ends memberships of a user, by default the client's own user, in channels.
    ///
    /// - Throws: ``PNCallError`` with the status of the failed call; also when the task is cancelled.
    @discardableResult
    public func removeMemberships(
        in channels: [String], of user: String? = nil, _ query: PNObjectsQuery = PNObjectsQuery(),
        include: PNMembershipFields = []
    ) async throws(PNCallError) -> PNObjectsPage<PNMembership> {
        try await manageMemberships(setting: [], removing: channels, of: user, query, include: include)
    }

    /// Makes a user, by default the client's own user, a member of `channels` and ends the user's memberships in `others`.
    ///
    /// - Throws: ``PNCallError`` with the status of the failed call; also when the task is cancelled.
    @discardableResult
    public func manageMemberships(
        setting channels: [PNRelation], removing others: [String], of user: String? = nil,
        _ query: PNObjectsQuery = PNObjectsQuery(), include: PNMembershipFields = []
    ) async throws(PNCallError) -> PNObjectsPage<PNMembership> {
        let content = try relations("channel", setting: channels, removing: others)
        return try await page(
            PubNubObjectsCall(
                .set(content), .memberships(user: user ?? uuid()), include: include.include, page: query.page)
        ) { PNMembership($0) }
    }

    /// Fetches one page of the memberships of a user, by default the client's own user.
    ///
    /// - Throws: ``PNCallError`` with the status of the failed call; also when the task is cancelled.
    public func memberships(
        of user: String? = nil, _ query: PNObjectsQuery = PNObjectsQuery(), include: PNMembershipFields = []
    ) async throws(PNCallError) -> PNObjectsPage<PNMembership> {
        try await page(
            PubNubObjectsCall(.get, .memberships(user: user ?? uuid()), include: include.include, page: query.page)
        ) { PNMembership($0) }
    }

    /// Makes users members of a channel.
    ///
    /// - Throws: ``PNCallError`` with the status of the failed call; also when the task is cancelled.
    @discardableResult
    public func setMembers(
        _ users: [PNRelation], of channel: String, _ query: PNObjectsQuery = PNObjectsQuery(),
        include: PNChannelMemberFields = []
    ) async throws(PNCallError) -> PNObjectsPage<PNChannelMember> {
        try await manageMembers(setting: users, removing: [], of: channel, query, include: include)
    }

    /// Ends memberships of users in a channel.
    ///
    /// - Throws: ``PNCallError`` with the status of the failed call; also when the task is cancelled.
    @discardableResult
    public func removeMembers(
        _ users: [String], of channel: String, _ query: PNObjectsQuery = PNObjectsQuery(),
        include: PNChannelMemberFields = []
    ) async throws(PNCallError) -> PNObjectsPage<PNChannelMember> {
        try await manageMembers(setting: [], removing: users, of: channel, query, include: include)
    }

    /// Makes `users` members of a channel and ends the memberships of `others`.
    ///
    /// - Throws: ``PNCallError`` with the status of the failed call; also when the task is cancelled.
    @discardableResult
    public func manageMembers(
        setting users: [PNRelation], removing others: [String], of channel: String,
        _ query: PNObjectsQuery = PNObjectsQuery(), include: PNChannelMemberFields = []
    ) async throws(PNCallError) -> PNObjectsPage<PNChannelMember> {
        let content = try relations("uuid", setting: users, removing: others)
        return try await page(
            PubNubObjectsCall(.set(content), .members(channel: channel), include: include.include, page: query.page)
        ) { PNChannelMember($0) }
    }

    /// Fetches one page of a channel's members.
    ///
    /// - Throws: ``PNCallError`` with the status of the failed call; also when the task is cancelled.
    public func members(
        of channel: String, _ query: PNObjectsQuery = PNObjectsQuery(), include: PNChannelMemberFields = []
    ) async throws(PNCallError) -> PNObjectsPage<PNChannelMember> {
        try await page(
            PubNubObjectsCall(.get, .members(channel: channel), include: include.include, page: query.page)
        ) { PNChannelMember($0) }
    }

    /// Encodes changes of memberships as JSON: `{"set":[{"channel":{"id":"c"},"custom":{…}}],"delete":[{"channel":{"id":"c"}}]}`.
    ///
    /// - Parameter key: the key of the id in each entry: `channel` for a user's memberships, `uuid` for a channel's members.
    private func relations(
        _ key: String, setting: [PNRelation], removing: [String]
    ) throws(PNCallError) -> JSONText {
        guard !setting.isEmpty || !removing.isEmpty else {
            throw PNCallError(
                .badArguments("The request for memberships names no \(key) to set or to remove. Pass at least one \(key)."))
        }
        guard !setting.contains(where: { $0.id.isEmpty }), !removing.contains("") else {
            throw PNCallError(
                .badArguments("One of the memberships to set or to remove has an empty \(key). Pass an id that is not empty."))
        }
        var set: [String] = []
        for relation in setting {
            var text = "{\"\(key)\":{\"id\":\(JSONWriter.string(relation.id))}"
            if let custom = relation.custom { text += ",\"custom\":\(try customFields(custom).text)" }
            set.append(text + "}")
        }
        let deleted = removing.map { "{\"\(key)\":{\"id\":\(JSONWriter.string($0))}}" }
        let lists = [("set", set), ("delete", deleted)].filter { !$0.1.isEmpty }
        return JSONText(
            checked: "{" + lists.map { "\"\($0.0)\":[\($0.1.joined(separator: ","))]" }.joined(separator: ",") + "}")
    }
}
