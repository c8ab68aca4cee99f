import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('api_keys')
export class ApiKeyEntity {
  /** SHA-256 of the key, in hex. */
  @PrimaryColumn('text')
  hash: string;

  @Column('text')
  workspaceId: string;

  @Column('text')
  scopes: string;
}
