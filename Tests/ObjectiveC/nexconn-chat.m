// An application in Objective-C that chats: every handler with all its methods, the channels, and what is done with messages,
// against the header of NexconnChatSDK. Only compiled.
#import <Foundation/Foundation.h>
#import "NexconnChatSDK-Swift.h"

extern void Show(NSString *text);

@interface Listener : NSObject <NCMessageHandler, NCChannelHandler, NCGroupChannelHandler, NCOpenChannelHandler, NCUserHandler>
@end

@implementation Listener

- (void)begin {
    [NCEngine addMessageHandlerWithIdentifier:@"chat" handler:self];
    [NCEngine addChannelHandlerWithIdentifier:@"chat" handler:self];
    [NCEngine addGroupChannelHandlerWithIdentifier:@"chat" handler:self];
    [NCEngine addOpenChannelHandlerWithIdentifier:@"chat" handler:self];
    [NCEngine addUserHandlerWithIdentifier:@"chat" handler:self];
}

- (void)end {
    [NCEngine removeMessageHandlerForIdentifier:@"chat"];
    [NCEngine removeChannelHandlerForIdentifier:@"chat"];
    [NCEngine removeGroupChannelHandlerForIdentifier:@"chat"];
    [NCEngine removeOpenChannelHandlerForIdentifier:@"chat"];
    [NCEngine removeUserHandlerForIdentifier:@"chat"];
}

// Messages

- (void)onMessageReceived:(NCMessageReceivedEvent *)event {
    if (event.left > 0 || event.offline || event.hasPackage) return;
    NCMessage *message = event.message;
    if ([message.content isKindOfClass:[NCTextMessage class]]) Show(((NCTextMessage *)message.content).text);
    if (message.needReceipt && message.direction == NCMessageDirectionReceive) [self confirm:message];
}

- (void)onMessageDeleted:(NCMessageDeletedEvent *)event {
    Show(event.messages.firstObject.messageId);
}

- (void)onMessagesUpdated:(NCMessagesUpdatedEvent *)event {
    Show(event.messages.firstObject.messageType);
}

- (void)onMessageMetadataUpdated:(NCMessageMetadataUpdatedEvent *)event {
    Show(event.metadata.description);
}

- (void)onMessageMetadataDeleted:(NCMessageMetadataDeletedEvent *)event {
    Show(event.keys.firstObject);
}

- (void)onMessageReceiptResponse:(NCMessageReceiptResponseEvent *)event {
    NCMessageReceiptResponse *response = event.responses.firstObject;
    if (response.readCount == response.totalCount) Show(response.messageId);
}

- (void)onOfflineMessageSyncCompleted {
    Show(@"complete");
}

// Channels

- (void)onChannelPinnedSync:(NCChannelPinnedSyncEvent *)event {
    if (event.isPinned) Show(event.channelIdentifier.channelId);
}

- (void)onChannelNoDisturbLevelSync:(NCChannelNoDisturbLevelSyncEvent *)event {
    if (event.level == NCChannelNoDisturbLevelMuted) Show(event.channelIdentifier.channelId);
}

- (void)onTypingStatusChanged:(NCTypingStatusChangedEvent *)event {
    Show(event.userTypingStatus.firstObject.userId);
}

- (void)onGroupOperation:(NCGroupOperationEvent *)event {
    if (event.operation == NCGroupOperationJoin) Show(event.groupInfo.groupName);
}

- (void)onGroupInfoChanged:(NCGroupInfoChangedEvent *)event {
    Show(event.changedProperties.firstObject);
}

- (void)onGroupMemberInfoChanged:(NCGroupMemberInfoChangedEvent *)event {
    Show(event.memberInfo.nickname);
}

- (void)onEntered:(NCOpenChannelEnteredEvent *)event {
    if (!event.response.isCurrentUserMuted) Show(event.channelId);
}

- (void)onMetadataChanged:(NCOpenChannelMetadataChangedEvent *)event {
    Show(event.changeInfo.firstObject.value);
}

- (void)onChannelDestroyed:(NCOpenChannelDestroyedEvent *)event {
    if (event.destroyType == NCOpenChannelDestroyTypeManual) Show(event.channelId);
}

- (void)onSubscriptionChanged:(NCSubscriptionChangedEvent *)event {
    if (event.events.firstObject.details.firstObject.eventValue == 1) Show(event.events.firstObject.userId);
}

// Calls

- (void)sendText:(NSString *)text to:(NSString *)user {
    NCDirectChannel *channel = [[NCDirectChannel alloc] initWithChannelId:user];
    NCSendMessageParams *params = [[NCSendMessageParams alloc] initWithContent:[[NCTextMessage alloc] initWithText:text]];
    params.needReceipt = YES;
    [channel sendMessageWithParams:params
        attachedHandler:^(NCMessage *_Nullable message) {
            Show(message.messageType);
        }
        completionHandler:^(NCMessage *_Nullable message, NCError *_Nullable error) {
            Show(error == nil ? message.messageId : error.localizedDescription);
        }];
}

- (void)confirm:(NCMessage *)message {
    NCDirectChannel *channel = [[NCDirectChannel alloc] initWithChannelId:message.channelIdentifier.channelId];
    [channel sendReadReceiptResponseWithMessageIds:@[ message.messageId ] completion:nil];
    [channel clearUnreadCountWithCompletion:^(BOOL isCleared, NCError *_Nullable error) {
        if (isCleared && error == nil) Show(@"read");
    }];
}

- (void)recall:(NCMessage *)message {
    [NCBaseChannel deleteMessageForAll:message completion:nil];
}

- (void)list {
    NCChannelIdentifier *identifier = [[NCChannelIdentifier alloc] initWithChannelType:NCChannelTypeGroup channelId:@"g1"];
    [NCBaseChannel getChannels:@[ identifier ]
                    completion:^(NSArray<NCBaseChannel *> *_Nullable channels, NCError *_Nullable error) {
                        Show(channels.firstObject.latestMessage.senderUserId);
                    }];
    [[[NCGroupChannel alloc] initWithChannelId:@"g1"] reloadWithCompletion:^(NCBaseChannel *_Nullable channel, NCError *_Nullable error) {
        if (channel.unreadCount > 0) [channel pinWithParams:[[NCPinParams alloc] initWithUpdateOperationTime:YES] completion:nil];
    }];
    [NCEngine.userModule getBlocklistWithCompletion:^(NSArray<NSString *> *_Nullable users, NCError *_Nullable error) {
        Show(users.firstObject);
    }];
}

- (void)page {
    NCChannelsQueryParams *wanted = [[NCChannelsQueryParams alloc] init];
    [wanted setChannelTypes:@[ @(NCChannelTypeDirect), @(NCChannelTypeGroup) ]];
    NCChannelsQuery *channels = [NCBaseChannel createChannelsQueryWithParams:wanted];
    [channels loadNextPageWithCompletion:^(NSArray<NCBaseChannel *> *_Nullable page, NCError *_Nullable error) {
        NCChannelIdentifier *identifier = page.firstObject.identifier;
        if (identifier == nil) return;
        NCMessagesQueryParams *params = [[NCMessagesQueryParams alloc] initWithChannelIdentifier:identifier];
        params.pageSize = 50;
        NCMessagesQuery *messages = [NCBaseChannel createMessagesQueryWithParams:params];
        [messages loadNextPageWithCompletion:^(NSArray<NCMessage *> *_Nullable older, NCError *_Nullable failure) {
            Show(failure == nil ? older.firstObject.messageId : failure.localizedDescription);
        }];
    }];
}

@end
