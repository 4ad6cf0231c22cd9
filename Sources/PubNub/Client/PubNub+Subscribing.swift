import ConnectionEngine
import EngineRuntime
import Foundation
import Identifiers
import PubNubProtocol

// The subscribed channels and groups. No method blocks; listeners get the results.
extension PubNub {
    // MARK: The subscribed names

    /// The subscribed channels, without presence channels.
    public func channels() -> [String] {
        wantedList.channels.filter { !$0.hasByteSuffix(PubNubMessage.presenceSuffix) }
    }

    /// The subscribed groups, including those for presence.
    public func channelGroups() -> [String] { wantedList.groups }

    /// The subscribed presence channels, with `-pnpres`.
    public func presenceChannels() -> [String] {
        wantedList.channels.filter { $0.hasByteSuffix(PubNubMessage.presenceSuffix) }
    }

    /// Whether a channel, group or presence channel of this name is subscribed.
    public func isSubscribed(on name: String) -> Bool {
        wanted.withLockedValue { $0.contains(name) }
    }

    // MARK: Subscribing

    /// Subscribes to channels, in addition to the present ones. Subscribing to the same channels again, or to none, makes the client
    /// send a new subscribe request.
    ///
    /// - Parameters:
    ///   - channels: the channels' names.
    ///   - shouldObservePresence: whether to subscribe the presence events of the channels, too.
    public func subscribeToChannels(_ channels: [String], withPresence shouldObservePresence: Bool) {
        subscribe(channels: channels, withPresence: shouldObservePresence)
    }

    /// Subscribes to channels, beginning at a timetoken.
    ///
    /// - Parameters:
    ///   - channels: the channels' names.
    ///   - shouldObservePresence: whether to subscribe the presence events of the channels, too.
    ///   - timeToken: the timetoken to begin at; nil to continue at the subscription's position.
    public func subscribeToChannels(
        _ channels: [String], withPresence shouldObservePresence: Bool, usingTimeToken timeToken: NSNumber?
    ) {
        subscribe(channels: channels, withPresence: shouldObservePresence, timetoken: timeToken)
    }

    /// Subscribes to channels and sets the user's state there.
    ///
    /// - Parameters:
    ///   - channels: the channels' names.
    ///   - shouldObservePresence: whether to subscribe the presence events of the channels, too.
    ///   - state: a dictionary of state for each channel by its name. A value that is not a dictionary is left out, and logged.
    public func subscribeToChannels(
        _ channels: [String], withPresence shouldObservePresence: Bool, clientState state: [String: Any]?
    ) {
        subscribe(channels: channels, withPresence: shouldObservePresence, state: state)
    }

    /// Subscribes to channels, beginning at a timetoken, and sets the user's state there.
    public func subscribeToChannels(
        _ channels: [String], withPresence shouldObservePresence: Bool, usingTimeToken timeToken: NSNumber?,
        clientState state: [String: Any]?
    ) {
        subscribe(channels: channels, withPresence: shouldObservePresence, timetoken: timeToken, state: state)
    }

    /// Subscribes to all channels of groups, also those that are added to a group later.
    public func subscribeToChannelGroups(_ groups: [String], withPresence shouldObservePresence: Bool) {
        subscribe(groups: groups, withPresence: shouldObservePresence)
    }

    /// Subscribes to groups, beginning at a timetoken.
    public func subscribeToChannelGroups(
        _ groups: [String], withPresence shouldObservePresence: Bool, usingTimeToken timeToken: NSNumber?
    ) {
        subscribe(groups: groups, withPresence: shouldObservePresence, timetoken: timeToken)
    }

    /// Subscribes to groups and sets the user's state there.
    public func subscribeToChannelGroups(
        _ groups: [String], withPresence shouldObservePresence: Bool, clientState state: [String: Any]?
    ) {
        subscribe(groups: groups, withPresence: shouldObservePresence, state: state)
    }

    /// Subscribes to groups, beginning at a timetoken, and sets the user's state there.
    public func subscribeToChannelGroups(
        _ groups: [String], withPresence shouldObservePresence: Bool, usingTimeToken timeToken: NSNumber?,
        clientState state: [String: Any]?
    ) {
        subscribe(groups: groups, withPresence: shouldObservePresence, timetoken: timeToken, state: state)
    }

    /// Receives the presence events of channels, without receiving their messages and without being present there.
    public func subscribeToPresenceChannels(_ channels: [String]) {
        subscribe(PubNubList(channels: channels.presenceNames), timetoken: nil, state: [:])
    }

    // MARK: Unsubscribing

    /// Unsubscribes from channels. The service is notified that the user left, unless that is suppressed.
    public func unsubscribeFromChannels(_ channels: [String], withPresence shouldObservePresence: Bool) {
        unsubscribe(PubNubList(channels: channels.named(withPresence: shouldObservePresence)))
    }

    /// Unsubscribes from groups.
    public func unsubscribeFromChannelGroups(_ groups: [String], withPresence shouldObservePresence: Bool) {
        unsubscribe(PubNubList(groups: groups.named(withPresence: shouldObservePresence)))
    }

    /// Stops receiving presence events of channels.
    public func unsubscribeFromPresenceChannels(_ channels: [String]) {
        unsubscribe(PubNubList(channels: channels.presenceNames))
    }

    /// Unsubscribes from all channels and groups.
    public func unsubscribeFromAll() {
        unsubscribeFromAll(completion: nil)
    }

    /// Unsubscribes from all channels and groups.
    ///
    /// - Parameter block: called on the callback queue when the client has unsubscribed, after the listeners.
    public func unsubscribeFromAll(completion block: ((PNStatus) -> Void)?) {
        let block = block.map { CallerBlock($0) }
        let isEmpty = commands.withLock {
            let wasEmpty = wanted.withLockedValue { wanted in
                defer { wanted.removeAll() }
                return wanted.isEmpty
            }
            let mustConnect = beginUnsubscribing()
            if !wasEmpty {
                let finish = block.map { finishUnsubscribing($0) }
                engine.perform(.unsubscribeAll) { [weak self] in
                    if mustConnect { self?.engine.connect() }
                    // Also when the client was released meanwhile (rule PK-77).
                    finish?()
                }
            }
            return wasEmpty
        }
        if isEmpty, let block { finishUnsubscribing(block)() }
    }

    /// Reports that no channel is subscribed any more, after all earlier deliveries to listeners.
    private func finishUnsubscribing(_ block: CallerBlock<PNStatus>) -> @Sendable () -> Void {
        let draft = StatusDraft(
            kind: .acknowledgment, operation: .unsubscribeOperation, category: .PNDisconnectedCategory, list: PubNubList())
        let status = status(draft)
        return { [line] in line.run { block(status) } }
    }

    // MARK: Filter

    /// A filter expression over the metadata of messages, such as `priority > 3`: the service sends only matching messages. Nil for
    /// all. A malformed one leads to `PNMalformedFilterExpressionCategory`, and nothing is received until it is changed.
    public var filterExpression: String? {
        get { filter.withLockedValue { $0 } }
        set {
            commands.withLock {
                filter.withLockedValue { $0 = newValue }
                script.withLockedValue { $0.begin() }
                engine.perform(.setFilter(newValue))
                if !wanted.withLockedValue({ $0.isEmpty }) { engine.connect() }
            }
        }
    }

    // MARK: The one way to the engine

    var wantedList: PubNubList { wanted.withLockedValue { $0.list } }

    private func subscribe(
        channels: [String] = [], groups: [String] = [], withPresence: Bool, timetoken: NSNumber? = nil,
        state: [String: Any]? = nil
    ) {
        let list = PubNubList(
            channels: channels.named(withPresence: withPresence), groups: groups.named(withPresence: withPresence))
        subscribe(list, timetoken: timetoken.map { Timetoken(rawValue: $0.uint64Value) }, state: stateTexts(state))
    }

    /// Each state as JSON text. Values that are not dictionaries of JSON values are left out.
    func stateTexts(_ state: [String: Any]?) -> [Identifier: String] {
        var texts: [Identifier: String] = [:]
        for (name, value) in state ?? [:] {
            if value is [String: Any], let text = FoundationJSON.text(value) {
                texts[Identifier(name)] = text
            } else {
                logger.log(.PNFailureStatusLogLevel, "<PubNub> presence state that is not a JSON dictionary was left out")
            }
        }
        return texts
    }

    func subscribe(_ list: PubNubList, timetoken: Timetoken?, state: [Identifier: String]) {
        let isNothing = commands.withLock {
            let isNothing = wanted.withLockedValue { wanted in
                wanted.add(list)
                return wanted.isEmpty
            }
            if isNothing { return true }
            script.withLockedValue { $0.begin() }
            engine.perform(.subscribe(list, timetoken: timetoken, state: state))
            engine.connect()
            return false
        }
        guard isNothing else { return }
        // The engine's thread may be sending now; sequences of messages have no use for statuses.
        let status = status(StatusDraft(category: .PNDisconnectedCategory, list: list))
        deliveries.sendToCallbacks([.status(status)])
        statusDeliveries.send([.status(status)])
    }

    /// Whether the client has to connect in order to send the leave, because an attempt failed and no other one is due (rule PX-52).
    private func beginUnsubscribing() -> Bool {
        script.withLockedValue { script in
            script.begin()
            return [.waiting, .suspended, .failed].contains(script.phase)
        }
    }

    func unsubscribe(_ list: PubNubList) {
        commands.withLock {
            let mayRemain = wanted.withLockedValue { wanted in
                wanted.remove(list)
                return !wanted.isEmpty
            }
            let mustConnect = beginUnsubscribing()
            engine.perform(.unsubscribe(list))
            // A denial, or a list that was too long, may have been resolved by now.
            if mayRemain || mustConnect { engine.connect() }
        }
    }
}

extension String {
    var withPresenceSuffix: String {
        hasByteSuffix(PubNubMessage.presenceSuffix) ? self : self + PubNubMessage.presenceSuffix
    }
}

extension [String] {
    /// The names of the presence channels. Empty names are left out.
    fileprivate var presenceNames: [String] { filter { !$0.isEmpty }.map(\.withPresenceSuffix) }

    /// The names, and those of their presence channels if `withPresence` is true. Empty names are left out.
    func named(withPresence: Bool) -> [String] {
        let names = filter { !$0.isEmpty }
        guard withPresence else { return names }
        return names + names.filter { !$0.hasByteSuffix(PubNubMessage.presenceSuffix) }.map(\.withPresenceSuffix)
    }
}
