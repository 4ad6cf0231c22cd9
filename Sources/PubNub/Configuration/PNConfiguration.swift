import ClientRuntime
import EngineRuntime
import Foundation
import Logging
import NIOConcurrencyHelpers
import TransportCommon

/// The settings of a client. Defaults are those of the Cocoa SDK 4.17 (rules PK-10 to PK-16).
///
/// A client copies it: changes after ``PubNub/clientWithConfiguration(_:)`` have no effect on it. May be used from any thread.
public final class PNConfiguration: Sendable {
    private let box: NIOLockedValueBox<ConfigurationValues>

    /// A configuration with the defaults. The user id and the device id are the stored ones, see ``uuid``.
    public convenience init(publishKey: String, subscribeKey: String) {
        self.init(publishKey: publishKey, subscribeKey: subscribeKey, identities: .shared)
    }

    convenience init(publishKey: String, subscribeKey: String, identities: IdentityStore) {
        self.init(
            ConfigurationValues(
                publishKey: publishKey, subscribeKey: subscribeKey, uuid: identities.userID(publishKey: publishKey),
                deviceID: identities.deviceID))
    }

    init(_ values: ConfigurationValues) {
        box = NIOLockedValueBox(values)
    }

    var values: ConfigurationValues { box.withLockedValue { $0 } }

    /// See `use(_:)`.
    func setDouble(_ double: any ServiceDouble) { write(\.double, DoubleReference(double: double)) }

    fileprivate func read<Value>(_ path: KeyPath<ConfigurationValues, Value>) -> Value {
        box.withLockedValue { $0[keyPath: path] }
    }

    fileprivate func write<Value>(_ path: WritableKeyPath<ConfigurationValues, Value>, _ value: Value) {
        box.withLockedValue { $0[keyPath: path] = value }
    }

    /// Identifies this device; created once and stored.
    public var deviceID: String { read(\.deviceID) }

    /// The user's id. Without an id of your own: `pn-` and a random id, made once for each publish key and kept in the user's folder
    /// for application data. Setting an empty one has no effect.
    public var uuid: String {
        get { read(\.uuid) }
        set { if !newValue.isEmpty { write(\.uuid, newValue) } }
    }

    /// Seconds without a heartbeat after which the service counts the user as absent, 20 to 300; 0, the default, for the service's own.
    /// Setting it also sets ``presenceHeartbeatInterval`` to half of it less one.
    public var presenceHeartbeatValue: Int {
        get { read(\.presenceHeartbeatValue) }
        set {
            let value = min(max(newValue, 20), 300)
            box.withLockedValue { values in
                values.presenceHeartbeatValue = value
                values.presenceHeartbeatInterval = value / 2 - 1
            }
        }
    }

    /// The service's host, or host and port: `ps.pndsn.com` by default, `127.0.0.1:6001` for a server of your own.
    ///
    /// It may begin with a scheme, `https://` or `http://`. Without a scheme connections are encrypted, unless the host is this machine
    /// itself: `localhost`, an address of 127.0.0.0/8, or `::1`. ``TLSEnabled`` has precedence when it is set (rule PK-66).
    public var origin: String {
        get { read(\.origin) }
        set { write(\.origin, newValue) }
    }

    /// The key for publishing.
    public var publishKey: String {
        get { read(\.publishKey) }
        set { write(\.publishKey, newValue) }
    }

    /// The key for subscribing.
    public var subscribeKey: String {
        get { read(\.subscribeKey) }
        set { write(\.subscribeKey, newValue) }
    }

    /// An auth key or access token; sent with every request. A secret.
    public var authKey: String? {
        get { read(\.authKey) }
        set { write(\.authKey, newValue) }
    }

    /// The key that encrypts and decrypts messages; nil for no encryption. A secret.
    public var cipherKey: String? {
        get { read(\.cipherKey) }
        set { write(\.cipherKey, newValue) }
    }

    /// Seconds after which a poll without an answer is given up; 310 by default, which is longer than the service holds polls.
    public var subscribeMaximumIdleTime: TimeInterval {
        get { read(\.subscribeMaximumIdleTime) }
        set { write(\.subscribeMaximumIdleTime, newValue) }
    }

    /// The time limit in seconds for any other request; 10 by default.
    public var nonSubscribeRequestTimeout: TimeInterval {
        get { read(\.nonSubscribeRequestTimeout) }
        set { write(\.nonSubscribeRequestTimeout, newValue) }
    }

    /// Seconds between heartbeats; 0, the default, sends none.
    public var presenceHeartbeatInterval: Int {
        get { read(\.presenceHeartbeatInterval) }
        set { write(\.presenceHeartbeatInterval, newValue) }
    }

    /// The heartbeats of which listeners are notified; the failed ones by default.
    public var heartbeatNotificationOptions: PNHeartbeatNotificationOptions {
        get { read(\.heartbeatNotificationOptions) }
        set { write(\.heartbeatNotificationOptions, newValue) }
    }

    /// Whether to unsubscribe without notifying the service; false by default.
    public var suppressLeaveEvents: Bool {
        get { read(\.suppressLeaveEvents) }
        set { write(\.suppressLeaveEvents, newValue) }
    }

    /// Whether heartbeats are sent only for the channels and groups that the presence builder's `connected` named; false by default.
    public var managePresenceListManually: Bool {
        get { read(\.managePresenceListManually) }
        set { write(\.managePresenceListManually, newValue) }
    }

    /// Whether connections are encrypted. A value that was set has precedence over ``origin``. Until then the value follows ``origin``:
    /// true, unless that begins with `http://`, or has no scheme and its host is this machine itself (rule PK-66).
    public var TLSEnabled: Bool {
        get { read(\.usesTLS) }
        set { write(\.chosenTLS, newValue) }
    }

    /// Whether the subscription continues from its timetoken when the list of channels changes; true by default.
    public var keepTimeTokenOnListChange: Bool {
        get { read(\.keepTimeTokenOnListChange) }
        set { write(\.keepTimeTokenOnListChange, newValue) }
    }

    /// Whether the client subscribes again after network trouble. With false, the list of channels is emptied when the connection is
    /// lost. True by default.
    public var restoreSubscription: Bool {
        get { read(\.restoreSubscription) }
        set { write(\.restoreSubscription, newValue) }
    }

    /// Whether a restored subscription continues from the last timetoken, so that no message is missed; true by default.
    public var catchUpOnSubscriptionRestore: Bool {
        get { read(\.catchUpOnSubscriptionRestore) }
        set { write(\.catchUpOnSubscriptionRestore, newValue) }
    }

    /// The number of messages in one answer that leads to `PNRequestMessageCountExceededCategory`; 0, the default, for none.
    public var requestMessageCountThreshold: UInt {
        get { read(\.requestMessageCountThreshold) }
        set { write(\.requestMessageCountThreshold, newValue) }
    }

    /// How many messages are stored to recognise repetitions; 100 by default, 0 for off.
    public var maximumMessagesCacheSize: UInt {
        get { read(\.maximumMessagesCacheSize) }
        set { write(\.maximumMessagesCacheSize, newValue) }
    }

    /// Whether calls that are in progress when the application goes to the background are completed; true by default.
    ///
    /// With true they continue, and the client asks iOS, tvOS and visionOS to let the process run until they are answered. With false
    /// they end at once with `PNCancelledCategory`; the service may have processed them. The subscription is closed in either case, see
    /// ``PubNub/applicationDidEnterBackground()``. In the Cocoa SDK this exists on iOS only.
    public var completeRequestsBeforeSuspension: Bool {
        get { read(\.completeRequestsBeforeSuspension) }
        set { write(\.completeRequestsBeforeSuspension, newValue) }
    }

    /// Whether the client closes the subscription's connection when the system reports that the application is in the background; true
    /// unless set. Set it to false for an application that the system lets run there, such as one that plays audio; then only
    /// ``PubNub/applicationDidEnterBackground()`` closes it. An addition to the Cocoa SDK (rule PK-72).
    public var suspendsInBackground: Bool {
        get { read(\.suspendsInBackground) }
        set { write(\.suspendsInBackground, newValue) }
    }

    /// For how many seconds the subscription's connection is kept after the application went to the background; 20 unless set. A return
    /// within this time costs nothing: no presence event, no missed message. Zero closes the connection at once, nil never; if the
    /// system suspends the process sooner, the connection is closed before that. An addition to the Cocoa SDK (rule PK-72).
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var backgroundGrace: TimeInterval? {
        get { read(\.backgroundGrace) }
        set { write(\.backgroundGrace, newValue) }
    }

    /// How soon a dead connection is detected, which costs traffic on an idle connection; balanced unless set, which is 25 s. A
    /// ``subscribeRenewalInterval`` has precedence. Frugal sends as little on an idle connection as PubNub's own SDKs. An addition to
    /// the Cocoa SDK (rule PK-84).
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var liveness: Liveness {
        get { read(\.liveness) }
        set { write(\.liveness, newValue) }
    }

    /// Which of the device's network paths the subscription, calls and files may use; all unless set. While only excluded paths are
    /// available, attempts fail with `networkUnavailable` as their cause. On Apple platforms only: on Linux it has no effect. An
    /// addition to the Cocoa SDK (rules PK-85 and SO-108).
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var networkPaths: NetworkPaths {
        get { read(\.networkPaths) }
        set { write(\.networkPaths, newValue) }
    }

    /// Whether the client prevents App Nap of macOS while it is subscribed or connecting; false unless set, because it costs battery.
    /// No effect on other systems. An addition to the Cocoa SDK (rules PK-86 and BG-12).
    public var preventsAppNap: Bool {
        get { read(\.preventsAppNap) }
        set { write(\.preventsAppNap, newValue) }
    }

    /// Kept for source compatibility, without effect. In the Cocoa SDK it exists on iOS only.
    public var applicationExtensionSharedGroupIdentifier: String {
        get { read(\.sharedGroupIdentifier) }
        set { write(\.sharedGroupIdentifier, newValue) }
    }

    /// Kept for source compatibility with the Cocoa SDK 4.5 to 4.8, without effect.
    public var stripMobilePayload: Bool {
        get { read(\.stripMobilePayload) }
        set { write(\.stripMobilePayload, newValue) }
    }

    /// Whether each message is encrypted with an initialization vector of its own; true by default.
    public var shouldUseRandomInitializationVector: Bool {
        get { read(\.usesRandomInitializationVector) }
        set { write(\.usesRandomInitializationVector, newValue) }
    }

    /// How many attempts are made to publish the message about an uploaded file; 5 by default.
    public var fileMessagePublishRetryLimit: UInt {
        get { read(\.fileMessagePublishRetryLimit) }
        set { write(\.fileMessagePublishRetryLimit, newValue) }
    }
}

// Settings that the Cocoa SDK does not have.
extension PNConfiguration {
    /// The set of time limits. An addition to the Cocoa SDK.
    public var timing: PNTiming {
        get { read(\.timing) }
        set { write(\.timing, newValue) }
    }

    /// Whether and when a lost subscription is retried. An addition to the Cocoa SDK.
    public var retryPolicy: PNRetryPolicy {
        get { read(\.retryPolicy) }
        set { write(\.retryPolicy, newValue) }
    }

    /// The key that signs requests, and with which access can be granted. A secret, for servers only. An addition to the Cocoa SDK.
    public var secretKey: String? {
        get { read(\.secretKey) }
        set { write(\.secretKey, newValue) }
    }

    /// A proxy for every connection; nil, the default, for none. An addition to the Cocoa SDK.
    public var proxy: PNProxy? {
        get { read(\.proxy) }
        set { write(\.proxy, newValue) }
    }

    /// Seconds without a received byte after which the client repeats the poll, over a new connection and from the same timetoken; 0
    /// for never, otherwise at least 1. Nil, the default, for that of the timing: 60, or 6 in the fast one. Costs one request for each
    /// interval in which nothing is published: 60 an hour by default, instead of 13 without this setting. An addition to the Cocoa SDK
    /// (rule PK-64).
    public var subscribeRenewalInterval: TimeInterval? {
        get { read(\.subscribeRenewalInterval) }
        set { write(\.subscribeRenewalInterval, newValue) }
    }

    /// Seconds that the answer to a poll may take from its first byte to its last, 0.1 to 3600. Nil, the default, for that of the
    /// timing: 30, or 5 in the fast one. An addition to the Cocoa SDK (rule PK-65).
    public var messageTimeout: TimeInterval? {
        get { read(\.messageTimeout) }
        set { write(\.messageTimeout, newValue) }
    }

    /// The largest answer in bytes, 1 KiB to 16 MiB; a longer one is refused as `PNMalformedResponseCategory`. Nil, the default, for 8
    /// MiB of a subscription and 16 MiB of a call; 4 MiB in the fast timing. An addition to the Cocoa SDK (rule PK-65).
    public var maximumAnswerSize: Int? {
        get { read(\.maximumAnswerSize) }
        set { write(\.maximumAnswerSize, newValue) }
    }

    /// The logger for changes of the connection and of subscriptions, and for published messages; nil, the default, for none.
    /// ``PubNub/logger`` of the client is a separate log, with the lines of the SDK. An addition to the Cocoa SDK (rules PK-68 and
    /// OB-1).
    public var logger: Logger? {
        get { read(\.logger.value) }
        set { write(\.logger.value, newValue) }
    }

    /// The metrics in which the client counts and times its work; nil, the default, for none. An addition to the Cocoa SDK (rules PK-68
    /// and OB-3).
    public var metrics: ClientMetrics? {
        get { read(\.metrics.value) }
        set { write(\.metrics.value, newValue) }
    }

    /// Pins of public keys of which the service's certificate chain has to contain one, in addition to being trusted: SHA-256 of the
    /// public key (SPKI) in base64, with or without the prefix `sha256/`. Empty, the default, for any. They apply to the subscription,
    /// to calls and to files.
    ///
    /// While one of the texts is not a valid pin, nothing is sent: the subscription and every call end as `PNBadRequestCategory`, with
    /// a reason that names the text. An addition to the Cocoa SDK (rule PK-69).
    public var certificatePins: [String] {
        get { read(\.certificatePins) }
        set { write(\.certificatePins, newValue) }
    }

    /// The certificate that the client presents when the service requests one; nil, the default, for none. An addition to the Cocoa SDK
    /// (rules PK-70 and WT-50).
    public var clientCertificate: ClientCertificate? {
        get { read(\.clientCertificate) }
        set { write(\.clientCertificate, newValue) }
    }

    /// Further keys for decrypting messages and files, in addition to ``cipherKey``, which is tried first and is the only key that
    /// encrypts. At most seven; without effect without ``cipherKey``. With more than seven keys nothing is sent, and the subscription
    /// and every call end as `PNBadRequestCategory`. Secrets. An addition to the Cocoa SDK (rules PK-71 and PC-14).
    ///
    /// To replace a key: first give every client the new one for reading, then make it ``cipherKey`` and keep the old one for reading,
    /// and remove the old one when no message that was encrypted with it is needed any more.
    public var readingCipherKeys: [String] {
        get { read(\.readingCipherKeys) }
        set { write(\.readingCipherKeys, newValue) }
    }

    /// Path of a PEM file with the only certificate authorities to trust; nil, the default, for those of the system. An addition to the
    /// Cocoa SDK.
    public var certificateAuthorityFile: String? {
        get { read(\.certificateAuthorityFile) }
        set { write(\.certificateAuthorityFile, newValue) }
    }
}
