/// The limits of a keyset's App Context (rule PO-10). A change that exceeds one of these limits is refused and has no effect.
struct ObjectLimits: Hashable, Sendable {
    /// The largest number of users with metadata, and of channels with metadata.
    var entities = 100_000
    /// The largest number of memberships of all users together.
    var memberships = 200_000
    var perUser = 1000
    var perChannel = 100_000
    /// The largest size in bytes of all ids, texts and custom fields together.
    var bytes = 128 << 20
    /// The largest number of memberships that one request may change.
    var perCall = 200
    /// The largest length of one text field, in bytes.
    var text = 2048
    /// The largest size in bytes of the texts and custom fields of one user, channel or membership.
    var record = 32_768
    /// The largest size in bytes of the events of one change. A change of a user is published on each channel of the user, so this limits
    /// the number of these channels.
    var eventBytes = 4 << 20
    /// The largest number of elements of a page; `pageBytes` is the largest size of a page in bytes. The first element of a page may have
    /// any size.
    var page = 100
    var pageBytes = 1 << 20
    /// The largest cost of evaluating a filter on all elements of a list, in the unit of ``PubNubFilterSubject/work``.
    var filterWork = 256 << 20
    /// The number of elements up to which a list is filtered and sorted at once. Requests for longer lists wait in a queue and are computed
    /// one after the other.
    var shortList = 1000
    /// The largest number of changes that wait for the store; `waitingLists` is the largest number of long lists that wait.
    var waiting = 1000
    var waitingLists = 64
}
