#if canImport(ObjectiveC)
    import Foundation

    // Lists for Objective-C, which cannot use the generic Swift class ``PagedQuery``. A page is an array, as in the vendor's SDK; an empty
    // array is the end of the list.

    /// Pages of messages.
    @objc(NCMessagesQuery) public final class OCMessagesQuery: NSObject {
        private let query: MessagesQuery

        init(_ query: MessagesQuery) {
            self.query = query
        }

        /// See ``PagedQuery/loadNextPage(completion:)``.
        @objc public func loadNextPage(completion: ((_ page: [Message]?, _ error: NCError?) -> Void)?) {
            query.loadNextPage { page, error in completion?(page?.data, error) }
        }
    }

    /// A list of channels that is loaded page by page.
    @objc(NCChannelsQuery) public final class OCChannelsQuery: NSObject {
        private let query: ChannelsQuery

        init(_ query: ChannelsQuery) {
            self.query = query
        }

        /// See ``PagedQuery/loadNextPage(completion:)``.
        @objc public func loadNextPage(completion: ((_ page: [BaseChannel]?, _ error: NCError?) -> Void)?) {
            query.loadNextPage { page, error in completion?(page?.data, error) }
        }
    }

    /// A list of a group's members that is loaded page by page.
    @objc(NCGroupMembersQuery) public final class OCGroupMembersQuery: NSObject {
        private let query: GroupMembersQuery

        init(_ query: GroupMembersQuery) {
            self.query = query
        }

        /// See ``PagedQuery/loadNextPage(completion:)``.
        @objc public func loadNextPage(completion: ((_ page: [GroupMemberInfo]?, _ error: NCError?) -> Void)?) {
            query.loadNextPage { page, error in completion?(page?.data, error) }
        }
    }

    /// A list of the user's groups that is loaded page by page.
    @objc(NCJoinedGroupsQuery) public final class OCJoinedGroupsQuery: NSObject {
        private let query: JoinedGroupsQuery

        init(_ query: JoinedGroupsQuery) {
            self.query = query
        }

        /// See ``PagedQuery/loadNextPage(completion:)``.
        @objc public func loadNextPage(completion: ((_ page: [GroupInfo]?, _ error: NCError?) -> Void)?) {
            query.loadNextPage { page, error in completion?(page?.data, error) }
        }
    }

    /// A list of the users who have read a message, loaded page by page.
    @objc(NCMessagesReadReceiptUsersQuery) public final class OCMessagesReadReceiptUsersQuery: NSObject {
        private let query: MessagesReadReceiptUsersQuery

        init(_ query: MessagesReadReceiptUsersQuery) {
            self.query = query
        }

        /// See ``PagedQuery/loadNextPage(completion:)``.
        @objc public func loadNextPage(completion: ((_ page: [MessageReceiptUser]?, _ error: NCError?) -> Void)?) {
            query.loadNextPage { page, error in completion?(page?.data, error) }
        }
    }

    /// A list of the user's subscriptions that is loaded page by page.
    @objc(NCSubscribeQuery) public final class OCSubscribeQuery: NSObject {
        private let query: SubscribeQuery

        init(_ query: SubscribeQuery) {
            self.query = query
        }

        /// See ``PagedQuery/loadNextPage(completion:)``.
        @objc public func loadNextPage(completion: ((_ page: [SubscribeEvent]?, _ error: NCError?) -> Void)?) {
            query.loadNextPage { page, error in completion?(page?.data, error) }
        }
    }

    extension BaseChannel {
        @objc(createChannelsQueryWithParams:)
        public static func objcCreateChannelsQuery(params: ChannelsQueryParams) -> OCChannelsQuery {
            OCChannelsQuery(createChannelsQuery(params: params))
        }

        @objc(createMessagesQueryWithParams:)
        public static func objcCreateMessagesQuery(params: MessagesQueryParams) -> OCMessagesQuery {
            OCMessagesQuery(createMessagesQuery(params: params))
        }

        @objc(createLocalMessagesByTimeQueryWithParams:)
        public static func objcCreateLocalMessagesByTimeQuery(params: LocalMessagesByTimeQueryParams) -> OCMessagesQuery {
            OCMessagesQuery(createLocalMessagesByTimeQuery(params: params))
        }

        @objc(createSearchMessagesQueryWithParams:)
        public static func objcCreateSearchMessagesQuery(params: SearchMessagesQueryParams) -> OCMessagesQuery {
            OCMessagesQuery(createSearchMessagesQuery(params: params))
        }

        @objc(createSearchMessagesByUserQueryWithParams:)
        public static func objcCreateSearchMessagesByUserQuery(params: SearchMessagesByUserQueryParams) -> OCMessagesQuery {
            OCMessagesQuery(createSearchMessagesByUserQuery(params: params))
        }

        @objc(createSearchMessagesByTimeRangeQueryWithParams:)
        public static func objcCreateSearchMessagesByTimeRangeQuery(
            params: SearchMessagesByTimeRangeQueryParams
        ) -> OCMessagesQuery {
            OCMessagesQuery(createSearchMessagesByTimeRangeQuery(params: params))
        }

        @objc(createMessagesReadReceiptUsersQueryWithParams:)
        public static func objcCreateMessagesReadReceiptUsersQuery(
            params: MessagesReadReceiptUsersQueryParams
        ) -> OCMessagesReadReceiptUsersQuery {
            OCMessagesReadReceiptUsersQuery(createMessagesReadReceiptUsersQuery(params: params))
        }
    }

    extension GroupChannel {
        @objc(createGroupMembersByRoleQueryWithParams:)
        public static func objcCreateGroupMembersByRoleQuery(params: GroupMembersByRoleQueryParams) -> OCGroupMembersQuery {
            OCGroupMembersQuery(createGroupMembersByRoleQuery(params: params))
        }

        @objc(createSearchGroupMembersQueryWithParams:)
        public static func objcCreateSearchGroupMembersQuery(params: SearchGroupMembersQueryParams) -> OCGroupMembersQuery {
            OCGroupMembersQuery(createSearchGroupMembersQuery(params: params))
        }

        @objc(createJoinedGroupsByRoleQueryWithParams:)
        public static func objcCreateJoinedGroupsByRoleQuery(params: JoinedGroupsByRoleQueryParams) -> OCJoinedGroupsQuery {
            OCJoinedGroupsQuery(createJoinedGroupsByRoleQuery(params: params))
        }
    }

    extension OpenChannel {
        @objc(createOpenChannelMessagesQueryWithParams:)
        public static func objcCreateOpenChannelMessagesQuery(params: OpenChannelMessagesQueryParams) -> OCMessagesQuery {
            OCMessagesQuery(createOpenChannelMessagesQuery(params: params))
        }
    }

    extension UserModule {
        @objc(createSubscribeQueryWithType:pageSize:)
        public func objcCreateSubscribeQuery(subscribeType: SubscribeType, pageSize: Int32) -> OCSubscribeQuery {
            OCSubscribeQuery(createSubscribeQuery(subscribeType: subscribeType, pageSize: pageSize))
        }
    }

    extension ChannelsQueryParams {
        /// Sets the channel types as numbers, because Objective-C has no arrays of enums.
        @objc(setChannelTypes:) public func objcSetChannelTypes(_ types: [NSNumber]) {
            setChannelTypes(types.channelTypes)
        }
    }
#endif
